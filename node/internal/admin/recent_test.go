package admin

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
)

var began = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// key returns a key of its own for a number.
func key(n int) seal.Key { return seal.Key{1, byte(n), byte(n >> 8), byte(n >> 16)} }

// at returns the address of a client from one of many hosts.
func at(host, port int) string {
	return fmt.Sprintf("10.%d.%d.1:%d", host>>8, host&255, 1024+port%60000)
}

// TestRememberedPlayersAreBounded lets many players leave, and one of them often.
func TestRememberedPlayersAreBounded(t *testing.T) {
	r := new(Recent)
	for i := range 2 * maxLeft {
		r.remember(formerPlayer{id: sim.ID(2 * i), key: seal.Key{1}, address: at(1, i)})
		r.remember(formerPlayer{id: sim.ID(2*i + 1), key: seal.Key{2, byte(i), byte(i >> 8)}, address: at(2+i, i)})
		require.LessOrEqual(t, len(r.left), maxLeft)
	}
	require.Len(t, r.left, maxLeft)
	assert.Equal(t, sim.ID(4*maxLeft-1), r.left[maxLeft-1].id)
	assert.Equal(t, sim.ID(4*maxLeft-2), r.left[maxLeft-2].id, "the key is in the list once, with its newest place")
	assert.Equal(t, sim.ID(2*maxLeft+3), r.left[0].id)
}

// TestFewAddressesForgetNobodyElse lets owners of addresses leave with new keys again and again.
// They replace each other, and not the players from other addresses.
func TestFewAddressesForgetNobodyElse(t *testing.T) {
	for _, owners := range testenv.Every(2, testenv.Crowds) {
		r := new(Recent)
		for n := range 100 {
			r.remember(formerPlayer{key: key(n), address: at(n, n)})
		}
		for n := range 2 * maxLeft {
			r.remember(formerPlayer{key: key(1000 + n), address: at(1000+n%owners, n)})
		}
		require.Len(t, r.left, maxLeft)
		for n := range 100 {
			require.Equal(t, key(n), r.left[n].key, "%d owners", owners)
		}
		assert.Equal(t, key(999+2*maxLeft), r.left[maxLeft-1].key)
	}
}

// recentRig is a Recent with a file.
type recentRig struct {
	*Recent
	t      *testing.T
	path   string
	failed []error
}

func openRecent(t *testing.T, path string, now time.Time) *recentRig {
	rig := &recentRig{t: t, path: path}
	r, err := OpenRecent(path, now, func(err error) { rig.failed = append(rig.failed, err) })
	require.NoError(t, err)
	rig.Recent = r
	return rig
}

// leaves lets a player of this moment leave.
func (r *recentRig) leaves(p formerPlayer) {
	r.forget(p.at)
	r.remember(p)
	r.write(p, func() []formerPlayer { return nil })
}

func (r *recentRig) named(name string, now time.Time) (*formerPlayer, bool) {
	return r.gone(now, func(d formerPlayer) bool { return matches(name, d.id, d.name) })
}

// TestRecentIsKept: the players of earlier runs are found by name for 30 days, and not by id. Lines
// that were cut off are dropped.
func TestRecentIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recent")
	r := openRecent(t, path, began)
	r.write(formerPlayer{id: 5, key: key(3), name: "Killed", address: at(3, 3), at: began}, nil)
	r.leaves(formerPlayer{id: 7, key: key(1), name: "Bad\tName\n", address: at(1, 1), at: began.Add(time.Hour)})
	r.leaves(formerPlayer{id: 8, key: key(2), name: "Ann", address: at(2, 2), at: began.Add(25 * time.Hour)})
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, text[:60]...), 0o600))

	r = openRecent(t, path, began.Add(26*time.Hour))
	require.Len(t, r.left, 3)
	d, many := r.named(`BAD\tname\n`, began.Add(26*time.Hour))
	require.NotNil(t, d)
	assert.False(t, many)
	assert.Equal(t, formerPlayer{key: key(1), name: `Bad\tName\n`, address: at(1, 1), at: began.Add(time.Hour), owner: netip.MustParsePrefix("10.0.1.1/32")}, *d)
	for _, id := range []string{"0", "7", "8"} {
		d, _ := r.named(id, began)
		assert.Nil(t, d, "an id of another run")
	}
	r.leaves(formerPlayer{key: key(4), name: "Dora", at: began.Add(27 * time.Hour)})
	assert.Len(t, openRecent(t, path, began.Add(28*time.Hour)).left, 4, "a line that was cut off does not swallow the next")
	r = openRecent(t, path, began.Add(keptFor+2*time.Hour))
	assert.Len(t, r.left, 2)
	d, _ = r.named("Ann", began.Add(keptFor+25*time.Hour))
	assert.NotNil(t, d)
	d, _ = r.named("Ann", began.Add(keptFor+26*time.Hour))
	assert.Nil(t, d)
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "Bad")
}

// TestFileOfRecentIsBounded: players who come and go all the time do not let the file grow, and it
// loses the players who are too old while the server runs.
func TestFileOfRecentIsBounded(t *testing.T) {
	r := openRecent(t, filepath.Join(t.TempDir(), "recent"), began)
	r.leaves(formerPlayer{key: key(0), name: "Old", address: at(9, 9), at: began})
	here := func() []formerPlayer { return []formerPlayer{{key: key(1), name: "Here", at: began}} }
	for range 2 * maxLines {
		r.write(formerPlayer{key: key(2), name: "Ann", at: began}, here)
		require.LessOrEqual(t, r.lines, maxLines)
	}
	text, err := os.ReadFile(r.path)
	require.NoError(t, err)
	assert.Contains(t, string(text), "\tOld\n")
	assert.Contains(t, string(text), "\tHere\n")
	assert.Less(t, len(text), maxLines*200)
	r.leaves(formerPlayer{key: key(2), name: "Ann", at: began.Add(keptFor + time.Hour)})
	text, err = os.ReadFile(r.path)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "\tOld\n")
}

// TestRecentWithoutDisk: players are remembered also if the file cannot be written. That is said
// once.
func TestRecentWithoutDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	r := openRecent(t, filepath.Join(dir, "recent"), began)
	for n := range 3 {
		r.leaves(formerPlayer{key: key(n), name: "Ann", at: began})
	}
	assert.Len(t, r.failed, 1)
	assert.Len(t, r.left, 3)
	require.NoError(t, os.Mkdir(dir, 0o700))
	r.leaves(formerPlayer{key: key(4), name: "Ann", at: began})
	require.NoError(t, os.RemoveAll(dir))
	r.leaves(formerPlayer{key: key(5), name: "Ann", at: began})
	assert.Len(t, r.failed, 2)
}
