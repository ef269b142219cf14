package script_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/store"
)

// newsOf returns news with values of a stranger, from a revision on; nil deletes.
func newsOf(rev uint64, data []byte, keys ...string) store.News {
	n := store.News{Set: "m-shared"}
	for i, key := range keys {
		n.Values = append(n.Values, store.Value{Key: key, Data: data, Rev: rev + uint64(i), Owner: "stranger"})
	}
	return n
}

var one = []byte{1, 'i', 2}

// TestKeysStayInOrder: whatever another server adds and deletes between two ticks, a mod sees the
// keys in order.
func TestKeysStayInOrder(t *testing.T) {
	f := newSharedFleet()
	m := f.join("arena-1")
	a := sharing(t, m, "")
	f.rounds(2, a)
	random, have, rev := rand.New(rand.NewPCG(1, 2)), map[string]bool{}, uint64(1)
	for range 40 {
		for range random.IntN(200) {
			key, data := fmt.Sprintf("%03d", random.IntN(300)), one
			if random.IntN(2) == 0 {
				data = nil
			}
			if have[key] = true; data == nil {
				delete(have, key)
			}
			m.inbox = append(m.inbox, newsOf(rev, data, key))
			rev++
		}
		a.ticks(1)
		want := ""
		if len(have) > 0 {
			want = strings.Join(slices.Sorted(maps.Keys(have)), "=1 ") + "=1"
		}
		a.is(want, "have()")
	}
}

// TestFloodOfKeys: a member that writes more keys than mods and disks take fills no memory. The
// newest ones are no news for the mod, and the next save has the set as a whole.
func TestFloodOfKeys(t *testing.T) {
	const most = 65_536
	f := newSharedFleet()
	m := f.join("arena-1")
	a := sharing(t, m, `count = 0 function onShared() count = count + 1 end`)
	f.rounds(2, a)
	a.scripts.Saves(false)
	var keys []string
	for i := range most + 100 {
		keys = append(keys, fmt.Sprintf("%06d", i))
	}
	m.inbox = append(m.inbox, newsOf(1, one, keys...))
	limit := testenv.Limit(t)
	for a.ticks(1); a.number("count") < most && !testenv.Expired(limit); {
		a.ticks(1)
	}
	a.ticks(3)
	assert.Equal(t, most, a.number("count"))
	saves := a.scripts.Saves(false)
	require.Len(t, saves, 1)
	assert.True(t, saves[0].Whole)
	assert.Len(t, saves[0].Values, most+100)
	m.inbox = append(m.inbox, newsOf(most+101, nil, keys...))
	a.ticks(1)
	saves = a.scripts.Saves(false)
	require.Len(t, saves, 1)
	assert.True(t, saves[0].Whole)
	assert.Empty(t, saves[0].Values)
	assert.Empty(t, a.scripts.Saves(false))
}
