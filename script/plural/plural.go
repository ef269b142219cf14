package plural

import (
	"strconv"
	"strings"
)

// other is the form of a number that no condition of its language names.
const other = "other"

// most is the largest number of digits of which the forms depend.
const most = 7

// large is what stands for the digits before these.
const large = 1e7

// For returns the function that names the form of a number in a language: zero, one, two, few, many
// or other. The number has the digits that a substitution prints, with at most 14 significant ones.
// An unknown language has only other.
func For(tag string) func(n float64) string {
	forms := find(tag).forms()
	return func(n float64) string {
		x := operandsOf(n)
		for _, f := range forms {
			if f.holds(x) {
				return f.name
			}
		}
		return other
	}
}

// find returns the rules of a language: those of the tag, or else those of its first part.
func find(tag string) set {
	language, _, _ := strings.Cut(tag, "-")
	for _, name := range []string{tag, language} {
		for _, s := range sets {
			for known := range strings.FieldsSeq(s.languages) {
				if strings.EqualFold(known, name) {
					return s
				}
			}
		}
	}
	return set{}
}

// operands are the operands of CLDR's conditions, without the sign: the digits before the point
// (i), how many are visible behind it (v), and these digits with (f) and without (t) the zeros at
// their end. The number itself (n) is i where t is 0.
type operands struct{ i, v, f, t int }

// of returns an operand. The number itself is an integer only if present.
func (x operands) of(name string) (value int, present bool) {
	switch name {
	case "n":
		return x.i, x.t == 0
	case "i":
		return x.i, true
	case "v":
		return x.v, true
	case "f":
		return x.f, true
	}
	return x.t, true
}

// operandsOf returns the operands of a number with the digits that a substitution prints.
func operandsOf(n float64) operands {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(strconv.FormatFloat(n, 'f', -1, 64), "-"), ".")
	fraction = fraction[:min(len(fraction), most)]
	x := operands{i: digits(whole), v: len(fraction), f: digits(fraction), t: digits(strings.TrimRight(fraction, "0"))}
	if len(whole) > most {
		x.i += large
	}
	return x
}

// digits returns the last digits of a number as an integer, 0 without any.
func digits(s string) int {
	n, _ := strconv.Atoi(s[max(0, len(s)-most):])
	return n
}

// form is a form and its condition: one of the lists must hold whole.
type form struct {
	name string
	any  [][]relation
}

// forms reads the conditions of a set, without the empty ones.
func (s set) forms() (all []form) {
	for _, row := range [][2]string{{"zero", s.zero}, {"one", s.one}, {"two", s.two}, {"few", s.few}, {"many", s.many}} {
		if row[1] == "" {
			continue
		}
		f := form{name: row[0]}
		for part := range strings.SplitSeq(row[1], " or ") {
			var every []relation
			for text := range strings.SplitSeq(part, " and ") {
				every = append(every, relationOf(text))
			}
			f.any = append(f.any, every)
		}
		all = append(all, f)
	}
	return all
}

// holds reports whether the condition holds for a number.
func (f form) holds(x operands) bool {
	for _, every := range f.any {
		met := true
		for _, r := range every {
			met = met && r.holds(x)
		}
		if met {
			return true
		}
	}
	return false
}

// relation is one comparison: "i % 10 = 2..4,9".
type relation struct {
	operand string
	modulus int // 0: the operand itself
	not     bool
	ranges  [][2]int // the first and the last
}

// relationOf reads a comparison of the table, which is well-formed.
func relationOf(text string) (r relation) {
	left, right, equal := strings.Cut(text, " = ")
	if !equal {
		left, right, r.not = strings.Cut(text, " != ")
	}
	operand, modulus, _ := strings.Cut(left, " % ")
	r.operand = operand
	r.modulus = digits(modulus)
	for part := range strings.SplitSeq(right, ",") {
		first, last, between := strings.Cut(part, "..")
		if !between {
			last = first
		}
		r.ranges = append(r.ranges, [2]int{digits(first), digits(last)})
	}
	return r
}

// holds reports whether the comparison holds for a number. One with a fraction equals no integer.
func (r relation) holds(x operands) bool {
	value, present := x.of(r.operand)
	if !present {
		return r.not
	}
	if r.modulus > 0 {
		value %= r.modulus
	}
	for _, of := range r.ranges {
		if of[0] <= value && value <= of[1] {
			return !r.not
		}
	}
	return r.not
}

// Whole returns the forms that whole numbers have in a language, and All those that any number has.
func Whole(tag string) map[string]bool {
	of, found := For(tag), map[string]bool{other: true}
	for n := range 201 {
		found[of(float64(n))] = true
	}
	found[of(1e6)] = true
	return found
}

// All returns the forms that numbers have in a language, also those with a fraction.
func All(tag string) map[string]bool {
	of, found := For(tag), Whole(tag)
	for n := range 201 {
		found[of(float64(n)/10)] = true
	}
	return found
}
