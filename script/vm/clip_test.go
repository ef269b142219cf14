package vm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/script/vm"
)

// TestClipText: a text that is cut ends with a whole character, and bytes of no character are cut
// as they are.
func TestClipText(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aéé", 3, "aé…"}, {"aéé", 4, "aé…"}, {"a\U0001F600b", 4, "a…"}, {"a\U0001F600b", 5, "a\U0001F600…"},
		{"\xff\xfe\xfd", 2, "\xff\xfe…"}, {"\x80\x80\x80\x80\x80\x80", 5, "\x80\x80…"}, {"éa", 1, "…"},
	} {
		assert.Equal(t, c.want, vm.ClipText(c.text, c.most), "%q %d", c.text, c.most)
	}
}
