package netcoretest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Page returns the text of PROTOCOL.md. It looks in the folder of the test and in the one above.
func Page(t testing.TB) string {
	text, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		text, err = os.ReadFile("../PROTOCOL.md")
	}
	require.NoError(t, err)
	return string(text)
}

// Section returns the text of PROTOCOL.md below a heading of the second level.
func Section(t testing.TB, heading string) string {
	_, rest, found := strings.Cut(Page(t), "\n## "+heading+"\n")
	require.True(t, found, "PROTOCOL.md has no heading %q", heading)
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// Fences returns the code blocks of a section, without their fences.
func Fences(text string) (blocks []string) {
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			blocks = append(blocks, part)
		}
	}
	return blocks
}

var leadingBits = regexp.MustCompile(`^[01 ]*`)

// Fields joins the bits at the beginning of each line of a code block.
func Fields(block string) (bits string) {
	for _, line := range strings.Split(block, "\n") {
		bits += strings.ReplaceAll(leadingBits.FindString(line), " ", "")
	}
	return bits
}

// Packed returns a string of 0 and 1 as bytes, the lowest bit of each byte first.
func Packed(bits string) []byte {
	b := make([]byte, (len(bits)+7)/8)
	for i, bit := range bits {
		b[i/8] |= byte(bit-'0') << (i % 8)
	}
	return b
}
