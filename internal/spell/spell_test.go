package spell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kick", "kick", 0}, {"kik", "kick", 1}, {"kcik", "kick", 2},
		{"flaw", "lawn", 2}, {"kitten", "sitting", 3}, {"Kick", "kick", 1},
	} {
		assert.Equal(t, c.want, Distance(c.a, c.b), "%s %s", c.a, c.b)
		assert.Equal(t, c.want, Distance(c.b, c.a), "%s %s", c.b, c.a)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"mass", "friction", "elasticity", "maxVelocity", "lit"}
	for slip, want := range map[string]string{
		"mas": "mass", "MASS": "mass", "frction": "friction", "maxvelocty": "maxVelocity",
		"lot": "lit", "zzz": "", "": "", "elastic": "elasticity", "colour": "",
	} {
		assert.Equal(t, want, Nearest(slip, names), slip)
	}
}
