package prompt

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// text joins keys.
func text(keys [][]byte) string { return string(bytes.Join(keys, nil)) }

func TestIncompleteKeys(t *testing.T) {
	for typed, inside := range map[string]bool{
		"": false, "abc": false, "\x1b": true, "\x1b[": true, "\x1b[1;5": true, "\x1b[A": false,
		"\x1bO": true, "\x1bOP": false, "\x1bb": false, "\xc3": true, "é": false, "\xe6\x97": true,
		"日": false, "\xf0\x9f\x98": true, "😀": false, "\x1b[200~ab": false, "\x1b\x1b": true,
		"\xc3a": false, "\x80": false, "\x1b[[": true,
	} {
		var k keys
		assert.Equal(t, typed, text(k.filter([]byte(typed)))+string(k.held), "readline knows them")
		assert.Equal(t, inside, k.inside(), "%q", typed)
	}
}

func TestKeysFilter(t *testing.T) {
	var k keys
	assert.Equal(t, "\r\r", text(k.filter([]byte("\r\x13\n"))), "a line feed counts as Enter")
	assert.Equal(t, "x", text(k.filter([]byte("\x1b["+strings.Repeat("9", maxSequence-2)+"x"))), "too long")
	k.filter([]byte("\x1b[1"))
	assert.Equal(t, "\x1b", text(k.abandon()))
	assert.Equal(t, "a\tb", text(k.filter([]byte("a\x00\tb"))))
	assert.Equal(t, "\x1b[200~\x1b[A x", text(k.filter([]byte("\x1b[200~\x1b[A\tx"))))
	assert.Equal(t, " \x1b[201~\t", text(k.filter([]byte("\t\x1b[201~\t"))))
}

// TestKeysOfTerminals: Home, End and the arrows with Ctrl or Alt arrive as readline knows them,
// also when a slow line splits them. F1 of the Linux console types no letter.
func TestKeysOfTerminals(t *testing.T) {
	for typed, want := range map[string]string{
		"a\x1b[1~b\x1b[4~c": "a\x1b[Hb\x1b[Fc", "\x1b[7~\x1b[8~": "\x1b[H\x1b[F", "\x1b[H\x1bOF": "\x1b[H\x1bOF",
		"\x1b[1;5D\x1b[1;5C": "\x1bb\x1bf", "\x1bOd\x1bOc": "\x1bb\x1bf", "\x1b\x1b[D": "\x1bb",
		"\x1b[[Aq": "q", "\x1b[3~\x1b[3;5~": "\x1b[3~\x1bd", "\x1b[A\x1b[5~": "\x1b[A\x1b[5~",
	} {
		var whole, split keys
		assert.Equal(t, want, text(whole.filter([]byte(typed))), "%q", typed)
		var got []byte
		for _, c := range []byte(typed) {
			got = append(got, text(split.filter([]byte{c}))...)
		}
		assert.Equal(t, want, string(got), "%q", typed)
	}
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
	send("\x1b", "[", "C", "\xe6", "\x97", "\xa5", "x")
	for !strings.HasSuffix(seen, "x") {
		seen += read(t, r)
	}
	typing.Wait()
	assert.Equal(t, "\x1b[C日x", strings.ReplaceAll(seen, string(wakeRune), ""))

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

// TestKeysBehindATab types while an answer is awaited. The keys wait, and none is lost.
func TestKeysBehindATab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typist := io.Pipe()
		k := newKeyboard(in)
		seen := make(chan string)
		next := func() {
			b := make([]byte, 16)
			n, err := k.Read(b)
			assert.NoError(t, err)
			seen <- string(b[:n])
		}
		types := func(keys string) {
			_, err := io.WriteString(typist, keys)
			require.NoError(t, err)
		}
		go types("\t")
		for _, want := range []string{"\t", string(wakeRune)} {
			go next()
			require.Equal(t, want, <-seen)
		}
		k.judge(false)
		for _, key := range []string{"x", "y"} {
			go next()
			types(key)
			synctest.Wait() // until the key waits
			k.poke()
			require.Equal(t, string(wakeRune), <-seen, "it waits")
		}
		k.judge(true)
		for _, want := range []string{"x", "y"} {
			go next()
			require.Equal(t, want, <-seen)
		}
		require.NoError(t, typist.Close())
	})
}

// FuzzKeys checks that a filter does the same however its input is split, holds back little, and
// without escape sequences removes NUL and no other byte.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[200~\ta\x1a\x1b[201~\x1a"))
	f.Add([]byte("\t\x1a"))
	f.Add([]byte("\xf0\x9f\x00"))
	f.Add([]byte("\x1b[1~\x1b[[A\x1b\x1b[D"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var k, split keys
		got := text(k.filter(b))
		var parts []byte
		for _, c := range b {
			parts = append(parts, text(split.filter([]byte{c}))...)
		}
		require.Equal(t, got, string(parts))
		if !strings.Contains(string(b), "\x1b") {
			require.Equal(t, strings.NewReplacer("\x00", "", "\x13", "", "\n", "\r").Replace(string(b)), got)
		}
		require.Less(t, len(k.held), maxSequence)
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
