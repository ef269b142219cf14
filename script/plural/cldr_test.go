package plural_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	xplural "golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/plural"
)

// TestFormsAreThoseOfXText: every language that golang.org/x/text knows has the forms that it says.
// Its tables are those of CLDR, and too large for the program. The short form has few of the
// languages that x/text supports by their code only.
func TestFormsAreThoseOfXText(t *testing.T) {
	names := map[xplural.Form]string{
		xplural.Zero: "zero", xplural.One: "one", xplural.Two: "two", xplural.Few: "few", xplural.Many: "many", xplural.Other: "other",
	}
	numbers := []float64{1e6, 2e6, 1000011, 1e9 + 2, 1.55, 1.01, 2.11}
	for n := range 121 {
		numbers = append(numbers, float64(n))
	}
	for n := range 41 {
		numbers = append(numbers, float64(n)/10)
	}
	count := 0
	for _, tag := range append(language.Supported.Tags(), testenv.Every(8, bases())...) {
		of := plural.For(tag.String())
		for _, n := range numbers {
			whole, fraction, _ := strings.Cut(strconv.FormatFloat(n, 'f', -1, 64), ".")
			i, _ := strconv.Atoi(whole)
			f, _ := strconv.Atoi(fraction)
			want := names[xplural.Cardinal.MatchPlural(tag, i, len(fraction), len(fraction), f, f)]
			if got := of(n); got != want {
				assert.Equal(t, want, got, "%s %g", tag, n)
				break
			}
			count++
		}
	}
	assert.Greater(t, count, 100_000)
}

// bases are the languages without a country.
func bases() (tags []language.Tag) {
	for _, base := range language.Supported.BaseLanguages() {
		tag, err := language.Raw.Compose(base)
		if err == nil {
			tags = append(tags, tag)
		}
	}
	return tags
}
