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
	short, identifier := regexp.MustCompile(`^[a-z0-9_]{1,32}$`), regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	for _, text := range texts {
		assert.Equal(t, short.MatchString(text), Short(text), "%q", text)
		assert.Equal(t, identifier.MatchString(text), Identifier(text), "%q", text)
	}
}
