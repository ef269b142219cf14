package plural

import (
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// forms are the names of the forms in the order of CLDR.
var forms = map[plural.Form]string{
	plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other",
}

// most is the largest number of digits of which the forms depend, as x/text has it.
const most = 7

// For returns the function that names the form of a number in a language: zero, one, two, few, many or
// other. The number has the digits that a substitution prints, with at most 14 significant ones. An
// unknown language has only other.
func For(tag string) func(n float64) string {
	parsed := language.Make(tag)
	return func(n float64) string {
		whole, fraction, _ := strings.Cut(strings.TrimPrefix(strconv.FormatFloat(n, 'f', -1, 64), "-"), ".")
		fraction = fraction[:min(len(fraction), most)]
		shown := strings.TrimRight(fraction, "0")
		return forms[plural.Cardinal.MatchPlural(parsed, digits(whole), len(fraction), len(shown), digits(fraction), digits(shown))]
	}
}

// digits returns the last digits of a number as an integer, 0 without any.
func digits(s string) int {
	n, _ := strconv.Atoi(s[max(0, len(s)-most):])
	return n
}

// Whole returns the forms that whole numbers have in a language, and All those that any number has.
func Whole(tag string) map[string]bool {
	of, found := For(tag), map[string]bool{"other": true}
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
