package plural_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/script/plural"
)

// TestFormsOfCLDR: numbers have the forms that CLDR gives them.
func TestFormsOfCLDR(t *testing.T) {
	for _, c := range []struct {
		tag  string
		n    float64
		want string
	}{
		{"en", 0, "other"}, {"en", 1, "one"}, {"en", -1, "one"}, {"en", 1.5, "other"}, {"fr", 0, "one"}, {"fr", 1.5, "one"}, {"fr", 2, "other"},
		{"pl", 1, "one"}, {"pl", 2, "few"}, {"pl", 5, "many"}, {"pl", 22, "few"}, {"pl", 112, "many"}, {"pl", 1.5, "other"}, {"pl", 1e9 + 2, "few"},
		{"ar", 0, "zero"}, {"ar", 1, "one"}, {"ar", 2, "two"}, {"ar", 3, "few"}, {"ar", 11, "many"}, {"ar", 100, "other"}, {"zh", 1, "other"},
		{"pt-BR", 1, "one"}, {"de-AT", 1, "one"}, {"xx", 1, "other"}, {"not a tag", 1, "other"}, {"en", 1e300, "other"},
	} {
		assert.Equal(t, c.want, plural.For(c.tag)(c.n), "%s %g", c.tag, c.n)
	}
	assert.Equal(t, map[string]bool{"one": true, "few": true, "many": true, "other": true}, plural.Whole("pl"))
	assert.Equal(t, map[string]bool{"other": true}, plural.Whole("zh"))
}
