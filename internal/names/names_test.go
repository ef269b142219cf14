package names

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNames compares the rules with regular expressions, for each byte alone, in front, behind and
// inside, and for the lengths around the limit.
func TestNames(t *testing.T) {
	texts := []string{"", strings.Repeat("a", maxShort), strings.Repeat("a", maxShort+1), "a\n", "é", "función"}
	for c := range 256 {
		b := string([]byte{byte(c)})
		texts = append(texts, b, b+"a", "a"+b, "a"+b+"a")
	}
	server := regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
	short, identifier := regexp.MustCompile(`^[a-z0-9_]{1,32}$`), regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	for _, text := range texts {
		assert.Equal(t, short.MatchString(text), Short(text), "%q", text)
		assert.Equal(t, server.MatchString(text), Server(text), "%q", text)
		assert.Equal(t, identifier.MatchString(text), Identifier(text), "%q", text)
	}
}

// TestPlaces: a place is /s/NAME in front of a path, with the name of a server.
func TestPlaces(t *testing.T) {
	long := strings.Repeat("a", maxServer)
	for path, want := range map[string][2]string{
		"/s/arena-1": {"/s/arena-1", ""}, "/s/arena-1/": {"/s/arena-1", "/"}, "/s/a/watch": {"/s/a", "/watch"}, "/s/a//b": {"/s/a", "//b"},
		"/s/" + long: {"/s/" + long, ""}, "/s/a/s/b": {"/s/a", "/s/b"},
		"": {"", ""}, "/": {"", "/"}, "/s": {"", "/s"}, "/s/": {"", "/s/"}, "/s//a": {"", "/s//a"}, "/s/A": {"", "/s/A"}, "/s/a_b": {"", "/s/a_b"},
		"/s/..": {"", "/s/.."}, "s/a": {"", "s/a"}, "/x/s/a": {"", "/x/s/a"}, "/s/" + long + "a/b": {"", "/s/" + long + "a/b"}, "/s/é": {"", "/s/é"},
	} {
		place, rest := CutPlace(path)
		assert.Equal(t, want, [2]string{place, rest}, "%q", path)
	}
}
