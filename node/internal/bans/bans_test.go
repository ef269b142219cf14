package bans

import (
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
)

var now = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	testenv.InMemory()
	os.Exit(m.Run())
}

func open(t *testing.T, path string) *List {
	t.Helper()
	l, err := Open(path, data.Editor{})
	require.NoError(t, err)
	return l
}

// refusal returns the text for a banned player, or "".
func refusal(l *List, key seal.Key, address netip.Addr, now time.Time) string {
	b, found := l.Find(key, address, now)
	if !found {
		return ""
	}
	return "banned: " + b.Why(now)
}

func TestBansPersist(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bans")
	l := open(t, path)
	require.NoError(t, l.Add(Ban{Target: Target{Key: seal.Key{1}}, Until: now.Add(time.Hour), Name: "A\tB\n", Reason: "bad\twords"}))
	require.NoError(t, l.Add(Ban{Target: Target{Key: seal.Key{2}}, Name: "C"}))

	l = open(t, path)
	assert.Equal(t, "banned: bad words (for 1h0m0s)", refusal(l, seal.Key{1}, netip.Addr{}, now))
	assert.Equal(t, "banned: forever", refusal(l, seal.Key{2}, netip.Addr{}, now))
	assert.Empty(t, refusal(l, seal.Key{3}, netip.Addr{}, now))
	assert.Empty(t, refusal(l, seal.Key{1}, netip.Addr{}, now.Add(time.Hour)), "it ends")
	assert.Equal(t, seal.Key{1}.String()+" for 1h0m0s A B bad words\n"+seal.Key{2}.String()+" forever C", l.String(now))

	assert.Equal(t, seal.Key{2}.String()+" forever C", l.String(now.Add(time.Hour)))

	require.NoError(t, l.Add(Ban{Target: Target{Key: seal.Key{1}}, Reason: "again"}), "a new ban replaces the old")
	assert.Equal(t, "banned: again (forever)", refusal(l, seal.Key{1}, netip.Addr{}, now))
	was, err := l.Lift(Target{Key: seal.Key{1}})
	require.NoError(t, err)
	assert.True(t, was)
	was, err = l.Lift(Target{Key: seal.Key{1}})
	require.NoError(t, err)
	assert.False(t, was)
	assert.Empty(t, refusal(open(t, path), seal.Key{1}, netip.Addr{}, now))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// TestAllBansOfAKeyAreLifted lifts a ban that a hand-edited file contains twice.
func TestAllBansOfAKeyAreLifted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bans")
	line := seal.Key{1}.String() + "\tforever\tA\tb\r\n"
	require.NoError(t, os.WriteFile(path, []byte(line+line), 0o600))
	l := open(t, path)
	assert.Equal(t, "banned: b (forever)", refusal(l, seal.Key{1}, netip.Addr{}, now))
	was, err := l.Lift(Target{Key: seal.Key{1}})
	require.NoError(t, err)
	assert.True(t, was)
	assert.Empty(t, refusal(l, seal.Key{1}, netip.Addr{}, now))
}

func TestRanges(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "192.0.2.7:50123": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "192.0.2.7/24": "192.0.2.0/24",
		"2001:db8:1:2::5": "2001:db8:1:2::/64", "[2001:db8:1:2::5]:50123": "2001:db8:1:2::/64", "2001:db8::5/128": "2001:db8::5/128", "::ffff:192.0.2.7/120": "192.0.2.0/24", "2001:db8::/48": "2001:db8::/48",
	} {
		target, is, err := ParseTarget(text)
		require.NoError(t, err, text)
		assert.True(t, is, text)
		assert.Equal(t, want, target.String(), text)
		again, _, err := ParseTarget(target.String())
		require.NoError(t, err)
		assert.Equal(t, target, again, text)
	}
	for _, text := range []string{"0.0.0.0/0", "10.0.0.0/7", "::/0", "2000::/15"} {
		_, is, err := ParseTarget(text)
		assert.True(t, is)
		assert.ErrorContains(t, err, "too wide", text)
	}
	for _, text := range []string{"", "Ann", "12", "192.0.2", "1.2.3.4.5"} {
		_, is, err := ParseTarget(text)
		assert.NoError(t, err)
		assert.False(t, is, text)
	}

	path := filepath.Join(t.TempDir(), "bans")
	l := open(t, path)
	net4, _, _ := ParseTarget("192.0.2.0/24")
	net6, _, _ := ParseTarget("2001:db8::1")
	require.NoError(t, l.Add(Ban{Target: net4, Until: now.Add(time.Hour), Reason: "cheats"}))
	require.NoError(t, l.Add(Ban{Target: net6}))
	l = open(t, path)
	refused := func(address string) string { return refusal(l, seal.Key{9}, netip.MustParseAddr(address), now) }
	assert.Equal(t, "banned: cheats (for 1h0m0s)", refused("192.0.2.200"))
	assert.Equal(t, "banned: cheats (for 1h0m0s)", refused("::ffff:192.0.2.200"))
	assert.Equal(t, "banned: forever", refused("2001:db8::ffff"))
	assert.Empty(t, refused("192.0.3.1"))
	assert.Empty(t, refused("2001:db8:0:1::1"))
	assert.Empty(t, refusal(l, seal.Key{}, netip.Addr{}, now), "a range is no key")
	assert.Equal(t, "192.0.2.0/24 for 1h0m0s  cheats\n2001:db8::/64 forever", l.String(now))
	was, err := l.Lift(net4)
	require.NoError(t, err)
	assert.True(t, was)
	assert.Empty(t, refused("192.0.2.200"))
}

// TestHandWrittenBans reads lines of people: short ones hold, and wrong ones are named.
func TestHandWrittenBans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bans")
	text := "# my bans\n192.0.2.1\n  192.0.2.2\t forever \n192.0.2.3\t2029-01-31T12:00:00Z\n\n" + seal.Key{1}.String() + "\t\tAnn\r\n" +
		"nonsense\n192.0.2.4 forever Bob\n192.0.2.5\tsoon\n0.0.0.0/0\n192.0.2.6"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	var wrong []string
	l, err := Open(path, data.Editor{Wrong: func(err error) { wrong = append(wrong, err.Error()) }})
	require.NoError(t, err)
	assert.Equal(t, "192.0.2.1 forever\n192.0.2.2 forever\n"+seal.Key{1}.String()+" forever Ann\n192.0.2.6 forever", l.String(now))
	assert.Equal(t, []string{
		path + `:7: "nonsense" is neither a key nor an address: the line has no effect`,
		path + `:8: an entry is KEY or RANGE, END, NAME and REASON, separated by tabs: the line has no effect`,
		path + `:9: "soon" is neither a time like 2030-01-31T12:00:00Z nor forever: the line has no effect`,
		path + `:10: 0.0.0.0/0 is too wide: a range must be /8 or narrower: the line has no effect`,
	}, wrong)
	require.NoError(t, l.Add(Ban{Target: Target{Key: seal.Key{2}}}))
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text+"\n"+seal.Key{2}.String()+"\tforever\t\t\n", string(kept))
}

// linear is the search in a list without an index.
func linear(l *List, key seal.Key, address netip.Addr) (Ban, bool) {
	for b := range l.All() {
		in := b.Key == key
		if b.Range.IsValid() {
			in = b.Range.Contains(address.Unmap())
		}
		if in && !b.over(now) {
			return b, true
		}
	}
	return Ban{}, false
}

// addressNear returns an address out of a few networks, so that ranges of all lengths meet.
func addressNear(rng *rand.Rand) netip.Addr {
	b := [16]byte{0x20, 1, 14: byte(rng.IntN(4)), 15: byte(rng.IntN(4))}
	switch rng.IntN(4) {
	case 0:
		return netip.Addr{}
	case 1:
		return netip.AddrFrom16(b)
	case 2:
		b = [16]byte{10: 0xff, 11: 0xff, 12: 10, 14: byte(rng.IntN(4)), 15: byte(rng.IntN(4))}
		return netip.AddrFrom16(b)
	}
	return netip.AddrFrom4([4]byte{10, 0, byte(rng.IntN(4)), byte(rng.IntN(4))})
}

// targetNear returns a target of a key or of such addresses.
func targetNear(rng *rand.Rand) Target {
	address := addressNear(rng).Unmap()
	if !address.IsValid() {
		return Target{Key: seal.Key{byte(rng.IntN(4))}}
	}
	within, _ := address.Prefix(address.BitLen() - rng.IntN(12))
	return Target{Range: within}
}

// TestAnIndexFindsTheSame changes lists at random, in their files, too. The index finds the entry
// that a search from the first entry to the last one finds.
func TestAnIndexFindsTheSame(t *testing.T) {
	for seed := range testenv.Seeds(t, 20, 200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		path := filepath.Join(t.TempDir(), "bans")
		l := open(t, path)
		for step := range 60 {
			target := targetNear(rng)
			b := Ban{Target: target, Until: now.Add(time.Duration(rng.IntN(3)-1) * time.Hour), Reason: strconv.Itoa(step)}
			if rng.IntN(2) == 0 {
				b.Until = Forever
			}
			switch rng.IntN(4) {
			case 0:
				_, err := l.Lift(target)
				require.NoError(t, err)
			case 1: // by hand, perhaps a second entry of the target
				text, _ := os.ReadFile(path)
				require.NoError(t, os.WriteFile(path, append(text, Format(b)+"\n"...), 0o600))
				require.NoError(t, l.Reread())
			default:
				require.NoError(t, l.Add(b))
			}
			for range 10 {
				key, address := seal.Key{byte(rng.IntN(4))}, addressNear(rng)
				want, has := linear(l, key, address)
				got, found := l.Find(key, address, now)
				require.Equal(t, has, found, "seed %d", seed)
				require.Equal(t, want, got, "seed %d, %v", seed, address)
			}
		}
	}
}

// TestLinkLocalAddresses: the zone of an address is a name of this machine, and no part of a range.
func TestLinkLocalAddresses(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "bans"))
	target, _, _ := ParseTarget("[fe80::1%eth0]:28000")
	require.NoError(t, l.Add(Ban{Target: target}))
	_, found := l.Find(seal.Key{}, netip.MustParseAddr("fe80::2%eth1"), now)
	assert.True(t, found)
}

func TestParseEnd(t *testing.T) {
	for text, want := range map[string]time.Time{
		"10m": now.Add(10 * time.Minute), "2h": now.Add(2 * time.Hour), "7d": now.AddDate(0, 0, 7), "forever": Forever,
	} {
		until, ok := ParseEnd(text, now)
		assert.True(t, ok, text)
		assert.Equal(t, want, until, text)
	}
	for _, text := range []string{"", "bad", "10", "-1h", "0s", "d", "9999999h", "99999999d", "forever and ever"} {
		_, ok := ParseEnd(text, now)
		assert.False(t, ok, text)
	}
}
