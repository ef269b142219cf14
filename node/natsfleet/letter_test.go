package natsfleet

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// TestEncodings: what is encoded is decoded, a later version can append fields, and a cut or
// another version is refused.
func TestEncodings(t *testing.T) {
	c := content{owner: "arena-1", batch: stamp{7, 9}, more: true, data: []byte("x")}
	gone := content{owner: "arena-1"}
	l := letter{kind: isQuestion, number: 3, err: "no", Note: bus.Note{Mod: "chat", Topic: "t", Value: []byte("v")}}
	s := sign{process: 4, claim: true, Server: bus.Server{
		Name: "arena-1", Key: keyOf("a"), Address: "h:1", Web: "w", Metrics: "m", Title: "t", Mission: "v", Mods: []string{"base"},
		Players: 1, Bots: 2, Max: 3, Draining: true, Own: map[string][]byte{"a": {1}, "b": {2}},
	}}
	e := life{Epoch: bus.Epoch{Count: 2, ID: 5}, restoring: true}
	for name, c := range map[string]struct {
		want   any
		bytes  []byte
		decode func([]byte) (any, error)
	}{
		"value":    {c, c.encode(), func(b []byte) (any, error) { return decodeContent(b) }},
		"deletion": {gone, gone.encode(), func(b []byte) (any, error) { return decodeContent(b) }},
		"letter":   {l, l.encode(), func(b []byte) (any, error) { return decodeLetter(b) }},
		"server":   {s, s.encode(), func(b []byte) (any, error) { return decodeSign("arena-1", b) }},
		"epoch":    {e, e.encode(), func(b []byte) (any, error) { return decodeLife(b) }},
		"record":   {stamp{1, 2}, encodeStamp(stamp{1, 2}), func(b []byte) (any, error) { return decodeStamp(b) }},
	} {
		got, err := c.decode(c.bytes)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
		got, err = c.decode(append(bytes.Clone(c.bytes), 1, 2, 3))
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
		for n := 1; n < len(c.bytes); n++ {
			_, err := c.decode(c.bytes[:n])
			require.Error(t, err, "%s cut at %d", name, n)
		}
		_, err = c.decode(append([]byte{version + 1}, c.bytes[1:]...))
		require.Error(t, err, name)
	}
	_, err := decodeSign("arena-2", s.encode())
	require.Error(t, err, "the key has another name")
}

// TestLengthsAreNotBelieved: a length from outside is no reason to take memory.
func TestLengthsAreNotBelieved(t *testing.T) {
	b := content{owner: "a", data: []byte("x")}.encode()
	b = append(b[:len(b)-5], 0xff, 0xff, 0xff, 0xff, 1)
	got := testing.AllocsPerRun(10, func() { _, _ = decodeContent(b) })
	assert.Less(t, got, 10.0)
	_, err := decodeContent(b)
	require.Error(t, err)
	_, err = decodeContent(content{owner: "a", data: make([]byte, maxValue+1)}.encode())
	require.Error(t, err)
}

// TestLongTextsAreCut: a text that is too long is cut between two characters, also for the other
// servers.
func TestLongTextsAreCut(t *testing.T) {
	long := "a" + strings.Repeat("é", 1000)
	assert.Equal(t, "a"+strings.Repeat("é", (maxClean-1)/2), clean(long))
	s, err := decodeSign("a", sign{Server: bus.Server{Name: "a", Key: keyOf("a"), Title: long}}.encode())
	require.NoError(t, err)
	assert.Equal(t, "a"+strings.Repeat("é", (maxText-1)/2), s.Title)
	b := &fleetBus{in: newInbox()}
	k := newTalk(b)
	k.answer(bus.Answer{To: "b", Err: long})
	assert.Equal(t, "a"+strings.Repeat("é", (maxError-1)/2), k.next()[0].err)
}

// TestSignIsBounded: each part of what a server tells can be short, and all of it is bounded too.
func TestSignIsBounded(t *testing.T) {
	s := sign{Server: bus.Server{Name: "a", Key: keyOf("a"), Own: map[string][]byte{}}}
	for i := 0; len(s.encode()) <= maxSign; i++ {
		_, err := decodeSign("a", s.encode())
		require.NoError(t, err)
		s.Own[strconv.Itoa(i)] = make([]byte, bus.MaxOwn)
	}
	_, err := decodeSign("a", s.encode())
	require.ErrorIs(t, err, errForeign)
}

// TestKeys: any key has one subject, and a subject that torc does not make has no key.
func TestKeys(t *testing.T) {
	k := keys{"torc_shared"}
	for _, key := range []string{"a", "a.b", "*", ">", " ", "\x00", "ключ", string(make([]byte, maxKey))} {
		got, err := k.key("coins", k.value("coins", key))
		require.NoError(t, err)
		assert.Equal(t, key, got)
	}
	for _, subject := range []string{"", "$KV.torc_shared.coins.", "$KV.torc_shared.coins.YR", "$KV.torc_shared.coins.YQ==", "$KV.torc_shared.other.YQ", "$KV.torc_shared.coins.a.b", "$KV.torc_shared.coins.*"} {
		_, err := k.key("coins", subject)
		require.Error(t, err, subject)
	}
}

// FuzzDecode gives every decoder the bytes of a stranger. The results obey the limits.
func FuzzDecode(f *testing.F) {
	f.Add(content{owner: "a", data: []byte("x")}.encode(), "$JS.ACK.s.c.1.2.3.4.5")
	f.Add(letter{kind: isMessage}.encode(), "$JS.ACK.d.a.s.c.1.2.3.4.5")
	f.Add(sign{Server: bus.Server{Name: "a", Key: keyOf("a"), Own: map[string][]byte{"m": {1}}}}.encode(), "x")
	f.Add(life{Epoch: bus.Epoch{Count: 1}}.encode(), "$KV.b.g.YQ")
	f.Add([]byte(`{"error":{"code":1}}`), "")
	f.Add([]byte(`{"data":{"jetstream":{"config":{"sync_interval":1}}}}`), "")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		if c, err := decodeContent(b); err == nil {
			assert.LessOrEqual(t, len(c.data), maxValue)
			assert.True(t, c.owner == "" && len(b) == 0 || names.Server(c.owner))
			again, err := decodeContent(c.encode())
			require.NoError(t, err)
			if len(b) > 0 {
				assert.Equal(t, c, again)
			}
		}
		if l, err := decodeLetter(b); err == nil {
			assert.LessOrEqual(t, len(l.Value), bus.MaxNote)
		}
		if s, err := decodeSign("a", b); err == nil {
			assert.LessOrEqual(t, len(s.Mods)+len(s.Own), 2*maxMods)
			assert.False(t, s.Key.Zero())
		}
		_, _ = decodeLife(b)
		_, _ = decodeStamp(b)
		_, _ = syncInterval(b)
		var any struct{ Seq uint64 }
		_ = decodeAnswer(b, &any)
		_, _, _, _ = parsePlace(text)
		_, _ = keys{"b"}.key("g", text)
		_ = clean(text)
	})
}
