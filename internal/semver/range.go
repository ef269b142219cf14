package semver

import (
	"errors"
	"strings"
)

// The limits of a range.
const (
	maxRange  = 512 // bytes
	maxGroups = 32
)

var errRange = errors.New("not a range of versions")

// A Range is a set of versions: those that all terms of one of its groups accept.
type Range []group

// group is the terms between two ||.
type group struct {
	terms []term
	early bool // a term names a pre-release, so pre-releases count
}

// Includes reports whether a version is in the range. A pre-release is in it only if the group that
// accepts it names one, as in ">=1.2.0-0".
func (r Range) Includes(v Version) bool {
	for _, g := range r {
		if g.includes(v) {
			return true
		}
	}
	return false
}

func (g *group) includes(v Version) bool {
	if v.Pre != "" && !g.early {
		return false
	}
	for i := range g.terms {
		if !g.terms[i].accepts(v) {
			return false
		}
	}
	return true
}

// ParseRange reads a range:
//
//	range     group { "||" group }
//	group     part { separator part }    separator: spaces, or a comma
//	part      [operator] partial | partial " - " partial
//	operator  = != > < >= => <= =< ~ ~> ^
//	partial   a version, whose numbers can be x, X or * or missing from the right
func ParseRange(text string) (r Range, err error) {
	if len(text) > maxRange {
		return nil, errRange
	}
	groups := strings.Split(text, "||")
	if len(groups) > maxGroups {
		return nil, errRange
	}
	for _, text := range groups {
		g, err := parseGroup(text)
		if err != nil {
			return nil, err
		}
		r = append(r, g)
	}
	return r, nil
}

const (
	spaces    = " \t\n\f\r"
	operators = "=!<>~^"
)

// parseGroup reads the terms of a group.
func parseGroup(text string) (g group, err error) {
	for rest := strings.Trim(text, spaces); ; {
		var t term
		if t, rest, err = parseTerm(rest); err != nil {
			return g, err
		}
		after := strings.TrimLeft(rest, spaces)
		if to, is := strings.CutPrefix(after, "-"); is && t.operator == "" && separated(rest) && separated(to) {
			t.operator = ">="
			g.add(t)
			if t, rest, err = parsePartial(strings.TrimLeft(to, spaces)); err != nil {
				return g, err
			}
			t.operator = "<="
			after = strings.TrimLeft(rest, spaces)
		}
		g.add(t)
		if after == "" {
			return g, nil
		}
		next, comma := strings.CutPrefix(after, ",")
		if !comma && !separated(rest) {
			return g, errRange
		}
		rest = strings.TrimLeft(next, spaces)
	}
}

func (g *group) add(t term) {
	g.terms = append(g.terms, t)
	g.early = g.early || t.version.Pre != ""
}

// separated reports whether a text begins with a space.
func separated(text string) bool { return text != "" && strings.IndexByte(spaces, text[0]) >= 0 }

// parseTerm reads a term, and returns what follows it.
func parseTerm(text string) (t term, rest string, err error) {
	rest = strings.TrimLeft(text, operators)
	operator := text[:len(text)-len(rest)]
	if t, rest, err = parsePartial(strings.TrimLeft(rest, spaces)); err != nil || !known(operator) {
		return t, rest, errRange
	}
	t.operator = operator
	return t, rest, nil
}

// parsePartial reads a version whose last numbers can be missing, and returns what follows it.
func parsePartial(text string) (t term, rest string, err error) {
	text = strings.TrimPrefix(text, "v")
	rest = strings.TrimLeft(text, letters+"*.+")
	text, build, built := strings.Cut(text[:len(text)-len(rest)], "+")
	text, pre, early := strings.Cut(text, "-")
	if built && !identifiers(build, false) || early && !identifiers(pre, true) {
		return t, rest, errRange
	}
	t.version.Pre = pre
	parts := strings.Split(text, ".")
	if len(parts) > 3 {
		return t, rest, errRange
	}
	numbers, wild := [...]*uint64{&t.version.Major, &t.version.Minor, &t.version.Patch}, false
	for i, part := range parts {
		if wild = wild || part == "x" || part == "X" || part == "*"; wild {
			if strings.Trim(part, "0123456789xX*") != "" || part == "" {
				return t, rest, errRange
			}
			continue
		}
		if *numbers[i], err = number(part); err != nil {
			return t, rest, err
		}
		t.given++
	}
	return t, rest, nil
}
