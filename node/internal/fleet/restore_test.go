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
	for _, w := range writesOf([]store.Save{save}, map[string]bus.Epoch{"bank-shared": epoch}, epoch, newest) {
		if w.Purge {
			continue
		}
		if has[w.Mod] == nil {
			has[w.Mod] = map[string][]byte{}
		}
		has[w.Mod][w.Key] = w.Value
	}
	return has
}

func coins(key string, rev uint64, data string) store.Value {
	return store.Value{Key: key, Rev: rev, Owner: "arena-1", Data: []byte(data)}
}

// TestRestoration: two servers have saved at different times. Together they have the newest value of each
// key, in whichever order their files are named.
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
		assert.Equal(t, epoch, r.Epoch)
		assert.Equal(t, want, r.Values)
		assert.Equal(t, "the fleet has these values again:\n  bank                 2\nchanges that it had never taken, and are left out: 2\nan older copy, left out: fleet.db", r.String())
	}
}

// TestNoRestoration refuses copies that say nothing, that belong to another fleet, and damaged ones.
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
