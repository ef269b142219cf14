package prompt

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIncompleteKeys(t *testing.T) {
	for typed, inside := range map[string]bool{
		"": false, "abc": false, "\x1b": true, "\x1b[": true, "\x1b[1;5": true, "\x1b[A": false,
		"\x1bO": true, "\x1bOP": false, "\x1bb": false, "\xc3": true, "é": false, "\xe6\x97": true,
		"日": false, "\xf0\x9f\x98": true, "😀": false, "\x1b[200~ab": false, "\x1b\x1b": true,
		"\x1b[" + strings.Repeat("9", 40): false, "\xc3a": false, "\x80": false,
	} {
		var k keys
		k.filter([]byte(typed))
		assert.Equal(t, inside, k.inside(), "%q", typed)
	}
}

func TestKeysFilter(t *testing.T) {
	var k keys
	assert.Equal(t, "a\tb", string(k.filter([]byte("a\x00\tb"))))
	assert.Equal(t, "\x1b[200~\x1b[A x", string(k.filter([]byte("\x1b[200~\x1b[A\tx"))))
	assert.Equal(t, " \x1b[201~\t", string(k.filter([]byte("\t\x1b[201~\t"))))
}

// read returns the next rune that readline would see.
func read(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	c, _, err := r.ReadRune()
	require.NoError(t, err)
	return string(c)
}

func TestWakeDoesNotSplitKeys(t *testing.T) {
	in, typist := io.Pipe()
	k := newKeyboard(in)
	defer k.Close()
	r := bufio.NewReader(k)
	var typing sync.WaitGroup
	send := func(parts ...string) {
		typing.Go(func() {
			for _, part := range parts {
				_, err := typist.Write([]byte(part))
				assert.NoError(t, err)
				k.poke()
			}
		})
	}
	var seen string
	send("\x1b", "[", "A", "\xe6", "\x97", "\xa5", "x")
	for !strings.HasSuffix(seen, "x") {
		seen += read(t, r)
	}
	typing.Wait()
	assert.Equal(t, "\x1b[A日x", strings.ReplaceAll(seen, string(wakeRune), ""))

	send("\x1b") // an incomplete key sequence delays a wake rune only briefly
	for !strings.HasSuffix(seen, "\x1b") {
		seen += read(t, r)
	}
	typing.Wait()
	k.poke()
	assert.Equal(t, string(wakeRune), read(t, r))
	typist.Close()
	_, err := io.ReadAll(r)
	assert.NoError(t, err, "the end is io.EOF")
}

// FuzzKeys checks that a filter removes NUL and no other byte, but for tabs and Ctrl-Z in pasted
// text.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[200~\ta\x1a\x1b[201~\x1a"))
	f.Add([]byte("\t\x1a"))
	f.Add([]byte("\xf0\x9f\x00"))
	pasted := strings.NewReplacer("\t", " ", "\x1a", "")
	f.Fuzz(func(t *testing.T, b []byte) {
		var k keys
		want := strings.ReplaceAll(string(b), "\x00", "")
		got := string(k.filter(b))
		if !strings.Contains(want, "200~") {
			require.Equal(t, want, got, "nothing is pasted")
		}
		require.Equal(t, pasted.Replace(want), pasted.Replace(got))
		require.LessOrEqual(t, len(k.seq), 33)
		k.abandon()
		require.False(t, k.inside())
	})
}

func TestColumnsAndPrefix(t *testing.T) {
	assert.Equal(t, "a    ccc\nbb   d", columns([]string{"a", "bb", "ccc", "d"}, 12))
	assert.Equal(t, "a\nbb", columns([]string{"a", "bb"}, 3))
	assert.Contains(t, columns([]string{"x\x1b"}, 80), `x\x1b`)
	assert.Equal(t, maxListed+1, len(strings.Fields(columns(make300(), 80))))
	assert.Equal(t, "", commonPrefix(nil))
	assert.Equal(t, "na", commonPrefix([]string{"naïve", "native"}))
	assert.Equal(t, "", commonPrefix([]string{"é", "è"}), "not half a character")
}

func make300() []string {
	return strings.Fields(strings.Repeat("word ", 300))
}
