package semver

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	oracle "github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// versions are in order.
var versions = []string{
	"0.0.0-0", "0.0.0", "0.0.1", "0.0.3-a", "0.0.3", "0.1.0", "0.2.3", "0.9.9", "1.0.0-0", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1",
	"1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0-beta", "1.2.0", "1.2.3", "1.9.9", "1.10.0",
	"2.0.0-0", "2.0.0", "2.1.1", "18446744073709551615.0.0",
}

// TestVersionsHaveAnOrder compares each version with each other one, and with itself as it is
// written.
func TestVersionsHaveAnOrder(t *testing.T) {
	for i, a := range versions {
		v, err := Parse(a + "+linux.01")
		require.NoError(t, err, a)
		assert.Equal(t, a+"+linux.01", v.String())
		for k, b := range versions {
			w, err := Parse(b)
			require.NoError(t, err)
			assert.Equal(t, oracle.MustParse(a).Compare(oracle.MustParse(b)), v.Compare(w), "%s %s", a, b)
			assert.Equal(t, i < k, v.Compare(w) < 0, "%s %s", a, b)
		}
	}
}

// TestBadVersions are refused, as the oracle does.
func TestBadVersions(t *testing.T) {
	for _, text := range []string{
		"", "1", "1.2", "v1.2.3", "1.2.3.4", "1.2.x", "01.2.3", "1.02.3", "1.2.03", "1.2.3-", "1.2.3+", "1.2.3-01", "1.2.3-a..b", "1.2.3-ä", "1.2.3+a_b", "-1.2.3", " 1.2.3", "1.2.3 ",
		"1..3", "1.2.", ".1.2", "18446744073709551616.0.0", "1.2.3-" + strings.Repeat("a", maxVersion),
	} {
		_, err := Parse(text)
		assert.Error(t, err, "%q", text)
		_, err = oracle.StrictNewVersion(text)
		assert.Error(t, err, "%q", text)
	}
	_, err := Parse("x")
	assert.EqualError(t, err, "a version must be three numbers like 1.0.0 (see semver.org)")
}

// TestRangesMeanWhatTheOracleSays makes ranges of every operator, partial versions, wildcards,
// pre-releases, lists, alternatives and pairs with a hyphen, in right and in wrong forms.
func TestRangesMeanWhatTheOracleSays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	partial := func() string {
		text := pick("", "", "", "v") + pick("0", "1", "2", "01", "x")
		for range r.IntN(4) {
			text += "." + pick("0", "1", "2", "3", "9", "x", "*", "X")
		}
		return text + pick("", "", "", "", "-0", "-beta", "-beta.2", "-01", "-", "+linux")
	}
	part := func() string {
		if r.IntN(6) == 0 {
			return partial() + pick(" - ", "  -  ", "-", " -") + partial()
		}
		return pick("", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^", "=~") + pick("", "", " ") + partial()
	}
	right := 0
	for range 8_000 {
		text := pick("", " ") + part()
		for range r.IntN(3) {
			text += pick(", ", ",", " , ", "||", " || ", ",, ", ">") + part()
		}
		want, wrong := oracle.NewConstraint(text)
		got, err := ParseRange(text)
		pair := strings.Contains(text, " - ")
		if pair && strings.Contains(text, "||") {
			continue // the oracle takes | for a part of a version
		}
		if !pair { // the oracle replaces pairs in the text, also at a wrong place
			require.Equal(t, wrong != nil, err != nil, "%q: %v, %v", text, wrong, err)
		}
		if err != nil || wrong != nil || odd(got) {
			continue
		}
		right++
		for _, of := range versions {
			v, err := Parse(of)
			require.NoError(t, err)
			require.Equal(t, want.Check(oracle.MustParse(of)), got.Includes(v), "%q %s", text, of)
		}
	}
	assert.Greater(t, right, 1000)
}

// odd reports whether a range has a term of which the oracle makes something else than semver.org:
// it reads a wildcard after >, <=, != and ^ as 0.0.0, and lets != 1.2 accept 1.2.0-beta.
func odd(r Range) bool {
	for _, g := range r {
		for _, t := range g.terms {
			if t.given == 0 && t.operator != "" && t.operator != "~" || t.operator == "!=" && t.given < 3 && g.early {
				return true
			}
		}
	}
	return false
}

// TestWildcards: a wildcard is every version, so nothing is newer.
func TestWildcards(t *testing.T) {
	for text, want := range map[string]bool{"*": true, "<=*": true, ">=*": true, "^*": true, "~x": true, "=X": true, ">*": false, "!=*": false, "<*": false, "!=1.x": false, "!=1.2": false, "!=1.1": true} {
		r, err := ParseRange(text)
		require.NoError(t, err)
		v, err := Parse("1.2.3")
		require.NoError(t, err)
		assert.Equal(t, want, r.Includes(v), text)
	}
}

// TestRangesAreShort refuses long texts and many groups.
func TestRangesAreShort(t *testing.T) {
	for n, fits := range map[int]bool{maxGroups: true, maxGroups + 1: false} {
		_, err := ParseRange(strings.TrimSuffix(strings.Repeat("1||", n), "||"))
		assert.Equal(t, fits, err == nil, n)
	}
	_, err := ParseRange(fmt.Sprintf("%*s", maxRange+1, "1"))
	assert.EqualError(t, err, "not a range of versions")
}
