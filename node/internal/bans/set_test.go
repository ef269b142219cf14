package bans

import (
	"encoding/binary"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

// foreign returns an entry of another server for a target.
func foreign(t *testing.T, target, from, reason string) Foreign {
	t.Helper()
	is, ok, err := ParseTarget(target)
	require.NoError(t, err)
	require.True(t, ok)
	return Foreign{Ban: Ban{Target: is, Reason: reason}, From: from}
}

// TestEntriesOfAFleet: they count beside the file, which goes first, and are never written into it.
// A list says where its entries are from.
func TestEntriesOfAFleet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bans")
	l := open(t, path)
	require.NoError(t, l.Add(Ban{Target: Target{Key: seal.Key{1}}, Until: now.Add(time.Hour), Reason: "own"}))
	l.Fleet = new(Set)
	key := seal.Key{1}.String()
	l.Fleet.Replace([]Foreign{foreign(t, "192.0.2.0/24", "arena-2", "wide"), foreign(t, key, "arena-3", "theirs"), foreign(t, "192.0.2.7", "", "one\taddress\n\x1b[2J")})
	assert.Equal(t, 3, l.Fleet.Len())

	at := func(address string) string { return refusal(l, seal.Key{9}, netip.MustParseAddr(address), now) }
	assert.Equal(t, "banned: own (for 1h0m0s)", refusal(l, seal.Key{1}, netip.MustParseAddr("192.0.2.7"), now))
	assert.Equal(t, "banned: theirs (forever)", refusal(l, seal.Key{1}, netip.MustParseAddr("192.0.2.7"), now.Add(time.Hour)), "when the own entry is over")
	assert.Equal(t, "banned: one address \ufffd[2J (forever)", at("192.0.2.7"), "the narrowest range")
	assert.Equal(t, "banned: wide (forever)", at("::ffff:192.0.2.8"))
	assert.Empty(t, at("192.0.3.8"))
	assert.Equal(t, "here "+key+" for 1h0m0s  own\nfleet 192.0.2.0/24 forever  wide (arena-2)\nfleet 192.0.2.7 forever  one address \ufffd[2J\nfleet "+key+" forever  theirs (arena-3)", l.String(now))

	require.NoError(t, l.Add(Ban{Target: Target{Key: seal.Key{2}}}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "theirs")
	assert.NotContains(t, string(text), "192.0.2")

	was, err := l.Lift(Target{Key: seal.Key{1}})
	require.NoError(t, err)
	assert.True(t, was)
	_, found := l.Own(seal.Key{1}, netip.Addr{}, now)
	assert.False(t, found)
	assert.Equal(t, "banned: theirs (forever)", refusal(l, seal.Key{1}, netip.Addr{}, now), "an entry of the fleet stays")
}

// TestEntriesOfAFleetChange: there is one for each target, and an entry that has ended does not
// count.
func TestEntriesOfAFleetChange(t *testing.T) {
	l := &List{Fleet: new(Set)}
	s := l.Fleet
	first := foreign(t, "192.0.2.0/24", "", "first")
	s.Put(first)
	second := first
	second.Reason, second.Until = "second", now.Add(time.Hour)
	s.Put(second)
	assert.Equal(t, 1, s.Len())
	got, found := s.Get(first.Target)
	assert.True(t, found)
	assert.Equal(t, second, got)
	address := netip.MustParseAddr("192.0.2.1")
	assert.Equal(t, "banned: second (for 1h0m0s)", refusal(l, seal.Key{9}, address, now))
	assert.Empty(t, refusal(l, seal.Key{9}, address, now.Add(time.Hour)))
	assert.Empty(t, l.String(now.Add(time.Hour)))
	assert.True(t, s.Remove(first.Target))
	assert.False(t, s.Remove(first.Target))
	assert.Empty(t, refusal(l, seal.Key{9}, address, now))
	assert.Empty(t, s.ranges.v4, "a search tries no length in vain")
	s.Put(first)
	s.Replace(nil)
	assert.Zero(t, s.Len())
	assert.Empty(t, refusal(l, seal.Key{9}, address, now))
}

// crowded returns a list with n entries of a fleet or of the file: keys, and addresses and ranges
// of three lengths.
func crowded(b *testing.B, n int, own bool) *List {
	l := &List{Fleet: new(Set)}
	for i := range n {
		e := Foreign{}
		e.Key = seal.Key{0: 1, 1: byte(i), 2: byte(i >> 8)}
		if i%4 > 0 {
			var at [4]byte
			binary.BigEndian.PutUint32(at[:], 10<<24|uint32(i)<<8)
			within, err := netip.AddrFrom4(at).Prefix([]int{0, 32, 28, 24}[i%4])
			require.NoError(b, err)
			e.Target = Target{Range: within}
		}
		if own {
			require.NoError(b, l.Put(e.Ban, func(Ban) bool { return false }))
		} else {
			l.Fleet.Put(e)
		}
	}
	return l
}

// BenchmarkFind looks for a player who is in no list, as each frame of voice and each line of chat
// does.
func BenchmarkFind(b *testing.B) {
	key, address := seal.Key{2}, netip.MustParseAddr("192.0.2.7")
	empty, file, fleet := crowded(b, 0, false), crowded(b, 2000, true), crowded(b, 10_000, false)
	for name, find := range map[string]func() (Ban, bool){
		"empty":                      func() (Ban, bool) { return empty.Find(key, address, now) },
		"2,000 of the file":          func() (Ban, bool) { return file.Find(key, address, now) },
		"10,000 of the fleet":        func() (Ban, bool) { return fleet.Find(key, address, now) },
		"2,000, as before the index": func() (Ban, bool) { return linear(file, key, address) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, found := find(); found {
					b.Fatal("found")
				}
			}
		})
	}
}
