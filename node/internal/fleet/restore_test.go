package fleet

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/store"
)

// copied returns the file of a server that has saved values of the mod bank.
func copied(epoch bus.Epoch, newest bus.Revision, unsent int, values ...store.Value) map[string]map[string][]byte {
	save := store.Save{Set: "bank-shared", Whole: true, Values: values}
	for range unsent {
		save.Unsent = append(save.Unsent, store.Change{Key: string(rune('a' + len(save.Unsent))), Data: []byte("x")})
	}
	has := map[string]map[string][]byte{}
	written(has, writesOf([]store.Save{save}, map[string]bus.Epoch{"bank-shared": epoch}, bucketLife{epoch, newest}))
	return has
}

// written writes into a file.
func written(has map[string]map[string][]byte, list []store.Write) {
	for _, w := range list {
		if w.Purge {
			continue
		}
		if has[w.Mod] == nil {
			has[w.Mod] = map[string][]byte{}
		}
		has[w.Mod][w.Key] = w.Value
	}
}

// listed adds the bans of a server to its file.
func (r *listRig) listed(has map[string]map[string][]byte) map[string]map[string][]byte {
	written(has, append(r.saves(false), lifeWrites(listsLifeKey, r.bucketLife)...))
	return has
}

func coins(key string, rev uint64, data string) store.Value {
	return store.Value{Key: key, Rev: rev, Owner: "arena-1", Data: []byte(data)}
}

// TestRestoration: two servers have saved at different times. Together they have the newest value
// of each key, in whichever order their files are named.
func TestRestoration(t *testing.T) {
	epoch := bus.Epoch{Count: 2, ID: 7}
	early := copied(epoch, 20, 0, coins("ann", 12, "old"), coins("bob", 20, "bob"))
	late := copied(epoch, 30, 2, coins("ann", 30, "new"))
	older := copied(bus.Epoch{Count: 1, ID: 9}, 900, 1, coins("ann", 900, "another life"))
	want := map[string][]bus.Value{"bank": {
		{Key: "ann", Data: []byte("new"), Rev: 30, Owner: "arena-1"}, {Key: "bob", Data: []byte("bob"), Rev: 20, Owner: "arena-1"},
	}}
	for _, files := range [][]map[string]map[string][]byte{{early, late, older}, {older, late, early}, {late, older, early}} {
		var r Restoration
		for _, has := range files {
			require.NoError(t, r.Add("fleet.db", has))
		}
		assert.Equal(t, epoch, r.Shared.Epoch)
		assert.Equal(t, want, r.Shared.Values)
		assert.Zero(t, r.Lists.Epoch)
		assert.Equal(t, "the fleet has these values again:\n  bank                 2\nchanges that it had never taken, and are left out: 2\nan older copy, left out: fleet.db", r.String())
	}
}

// TestNoRestoration refuses copies that say nothing, that belong to another fleet, and damaged
// ones.
func TestNoRestoration(t *testing.T) {
	epoch := bus.Epoch{Count: 2, ID: 7}
	var r Restoration
	assert.EqualError(t, r.Add("a/fleet.db", nil), "a/fleet.db has no values of a fleet")
	require.NoError(t, r.Add("a/fleet.db", copied(epoch, 1, 0, coins("ann", 1, "x"))))
	assert.EqualError(t, r.Add("b/fleet.db", copied(bus.Epoch{Count: 2, ID: 8}, 1, 0)), "a/fleet.db and b/fleet.db are copies of two fleets")
	damaged := copied(epoch, 1, 0, coins("ann", 1, "x"))
	damaged[valuesBucket+"bank-shared"]["ann"] = []byte{1, 200}
	assert.EqualError(t, r.Add("c/fleet.db", damaged), "c/fleet.db: the copy is damaged")
}

// TestRestorationOfLists: the lists of servers come back, each entry as the newest one has it, also
// from servers without values of mods. The lives of both buckets have nothing to do with each
// other.
func TestRestorationOfLists(t *testing.T) {
	a, b := newListRig(t), newListRig(t)
	ann, bob := a.value("ann", "arena-1"), a.value("bob", "arena-2")
	a.reads(BanList, ann, bob)
	b.rev = 10
	newer := b.value("ann", "arena-2")
	b.reads(BanList, newer)
	b.reads(MuteList, newer)
	other := bus.Epoch{Count: 7, ID: 7}
	for _, files := range [][]map[string]map[string][]byte{
		{a.listed(map[string]map[string][]byte{}), b.listed(copied(other, 3, 0, coins("x", 3, "y")))},
	} {
		var r Restoration
		for _, has := range files {
			require.NoError(t, r.Add("fleet.db", has))
		}
		assert.Equal(t, life, r.Lists.Epoch)
		assert.Equal(t, other, r.Shared.Epoch)
		assert.Equal(t, map[string][]bus.Value{BanList: {newer, bob}, MuteList: {newer}}, r.Lists.Values)
		assert.Equal(t, "the fleet has these values again:\n  bank                 1\n  bans                 2\n  mutes                1", r.String())
	}
}

// TestCopyOfLists: a server that starts again has the lists of its last run, and what has changed
// is written.
func TestCopyOfLists(t *testing.T) {
	a := newListRig(t)
	a.reads(BanList, a.value("ann", "arena-1"), a.value("bob", "arena-2"))
	has := a.listed(map[string]map[string][]byte{})
	a.hears(BanList, bus.Value{Key: "bob", Rev: 9, Owner: "arena-2"})
	a.hears(BanList, a.value("cat", "arena-2"))
	a.steps(1)
	changed := a.saves(false)
	require.Len(t, changed, 2)
	assert.Nil(t, changed[0].Value)
	written(has, changed)
	delete(has[listBucket+BanList], "bob")
	assert.Empty(t, a.saves(false))
	assert.Len(t, a.saves(true), 2+len(listNames))

	b := newListRig(t)
	b.copy.load = func(name string) (map[string][]byte, error) { return has[name], nil }
	b.recall()
	assert.Equal(t, a.own, b.own)
	assert.Equal(t, life, b.epoch)
	assert.Equal(t, bus.Epoch{}, b.groups[BanList].epoch, "nothing is read yet")
	has[listBucket+BanList]["cat"] = []byte{200}
	b.recall()
	assert.Len(t, b.own[BanList], 1)
	assert.Contains(t, b.log.String(), "the copy is damaged")
}
