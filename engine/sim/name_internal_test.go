package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFoldedIn checks that the look-up without a string finds what the comparison of names says.
func TestFoldedIn(t *testing.T) {
	long := strings.Repeat("Az", foldedRoom/2)
	for _, name := range []string{
		"", "dataBlock", "DATABLOCK", "a@[`{Zz09_", "Ünï", "KELVIN \u212a", "İstanbul", "\xff\x80A", long, long + "Q", long + "É",
	} {
		m := map[string]int{fold(name): 1, "other": 2}
		assert.Equal(t, 1, foldedIn(m, name), "%q", name)
		assert.Equal(t, 1, foldedIn(m, strings.ToUpper(fold(name))), "%q in capitals", name)
		assert.Zero(t, foldedIn(m, name+"x"), "%q", name)
	}
}

// TestFoldedInAllocatesNothing holds the reason for foldedIn.
func TestFoldedInAllocatesNothing(t *testing.T) {
	m := map[string]int{"datablock": 1}
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = foldedIn(m, "dataBlock") }))
}
