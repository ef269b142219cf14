package semver

// A term is an operator with a version, of which some numbers are given: 2 in "1.4" and in "1.4.x".
// The others are 0.
type term struct {
	operator string
	version  Version
	given    int
}

func known(operator string) bool {
	switch operator {
	case "", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^":
		return true
	}
	return false
}

// accepts reports whether a version fits the term. Pre-releases are no matter of terms.
func (t *term) accepts(v Version) bool {
	c := v.Compare(t.version)
	switch t.operator {
	case "!=":
		return c != 0 && !t.leaves(v)
	case ">":
		return c > 0 && !t.leaves(v)
	case "<":
		return c < 0
	case ">=", "=>":
		return c >= 0
	case "<=", "=<":
		return c <= 0 || t.leaves(v)
	case "~", "~>":
		return t.near(v)
	case "^":
		return c >= 0 && t.compatible(v)
	}
	return c == 0 || t.given < 3 && t.near(v)
}

// leaves reports whether the term leaves numbers open, and a version has those that are given.
func (t *term) leaves(v Version) bool { return t.given < 3 && t.within(v) }

// within reports whether a version has the numbers that are given.
func (t *term) within(v Version) bool {
	same := [...]bool{true, v.Major == t.version.Major, v.Minor == t.version.Minor, v.Patch == t.version.Patch}
	for _, is := range same[:t.given+1] {
		if !is {
			return false
		}
	}
	return true
}

// near reports whether only the patch of a version may be newer, or the minor number too if none is
// given. ~0.0.0 accepts everything.
func (t *term) near(v Version) bool {
	of, is := t.version, *t
	is.given = min(is.given, 2)
	return v.Compare(of) >= 0 && (of.Major == 0 && of.Minor == 0 && of.Patch == 0 && t.given == 3 || is.within(v))
}

// compatible reports whether the first given number that is not 0 is the same, and those before it.
func (t *term) compatible(v Version) bool {
	is := *t
	switch {
	case is.given > 1 && is.version.Major > 0:
		is.given = 1
	case is.given > 2 && is.version.Minor > 0:
		is.given = 2
	}
	return is.within(v)
}
