package spell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kick", "kick", 0}, {"kik", "kick", 1}, {"kcik", "kick", 1},
		{"flaw", "lawn", 2}, {"kitten", "sitting", 3}, {"Kick", "kick", 1}, {"ba", "ab", 1}, {"abcdef", "badcfe", 3},
		{"ca", "abc", 3}, // with each byte changed at most once
	} {
		assert.Equal(t, c.want, Distance(c.a, c.b), "%s %s", c.a, c.b)
		assert.Equal(t, c.want, Distance(c.b, c.a), "%s %s", c.b, c.a)
	}
}

// TestNearest has a row for each length of a name: what is a typing error there, and what another
// name.
func TestNearest(t *testing.T) {
	for _, c := range []struct{ slips, name, others string }{
		{"X", "x", "y xy"},
		{"ID di", "id", "i ad is in idx"},
		{"POS pso ops", "pos", "po pop pus os"},
		{"lti", "lit", "lot let"},
		{"nmae nam anme naem namee neme", "name", "nom gain same1 number lane7"},
		{"mas MASS amss msas masss", "mass", "math2 moss1 m ss"},
		{"heath helth haelth healt", "health", "death help heat lt wealthy hlt"},
		{"sting strin srting strnig sring", "string", "nothing stron77 thing set bring7 s ring7"},
		{"frction friktion", "friction", "frankton direction"},
		{"maxvelocty maxVelocity macvelocity maxVel0cyti", "maxVelocity", "velocity minVelosty muzzleVelocity"},
		{"elastcity elasticty", "elasticity", "plastics elite elastic"},
		{"onClientEnteredGame onClientEnterGme", "onClientEnterGame", "onClientLeaveGame onEnterGame"},
		{"colour", "color", "cooler col"},
	} {
		for slip := range strings.FieldsSeq(c.slips) {
			assert.Equal(t, c.name, Nearest(slip, []string{"zzzzzz", c.name}), slip)
		}
		for other := range strings.FieldsSeq(c.others) {
			assert.Empty(t, Nearest(other, []string{c.name}), "%s is not %s", other, c.name)
		}
	}
	names := []string{"mass", "mask", ""}
	assert.Equal(t, "mask", Nearest("masc", names[1:]), "one error")
	assert.Equal(t, "mass", Nearest("mas", names))
	assert.Equal(t, "mass", Nearest("mast", names), "the first of equally close names")
	assert.Empty(t, Nearest("", names))
	assert.Empty(t, Nearest(strings.Repeat("x", 65), []string{strings.Repeat("x", 64)}))
}
