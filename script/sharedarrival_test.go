package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/store"
)

// TestAllValuesAreSeenTogether: all values of a set come in parts. A mod sees what it saw before
// until the last part is there, and its own changes in front of that. Then it hears of each
// difference once, and so does the copy on the disk.
func TestAllValuesAreSeenTogether(t *testing.T) {
	f := newSharedFleet()
	m := f.join("arena-1")
	a := sharing(t, m, "")
	for i, key := range []string{"a", "b", "gone", "mine", "same"} {
		f.foreign("m-shared", key, []byte{1, 'i', byte(2 * i)})
	}
	f.rounds(2, a)
	a.in("heard()")
	a.scripts.Saves(false)
	m.cut, m.part = true, 2
	f.foreign("m-shared", "a", []byte{1, 'i', 20})
	f.foreign("m-shared", "gone", nil)
	f.foreign("m-shared", "mine", []byte{1, 'i', 22})
	f.foreign("m-shared", "new", []byte{1, 'i', 24})
	a.in(`put("mine", 30)`)
	a.ticks(1)
	m.heal()
	for range 2 {
		a.is("a=0 b=1 gone=2 mine=30 same=4", "have()")
		a.is("", "heard()")
		a.ticks(1)
	}
	a.is("a=0 b=1 gone=2 mine=30 same=4", "have()")
	for _, save := range a.scripts.Saves(false) {
		assert.Empty(t, save.Values)
	}
	a.ticks(1)
	a.is("a=10 b=1 mine=30 new=12 same=4", "have()")
	a.is("onShared a 10; onShared gone nil; onShared new 12", "heard()")
	f.rounds(80, a)
	a.is("a=10 b=1 mine=11 new=12 same=4", "have()")
	a.is("mine false another server has changed the value; onShared mine 11", "heard()")
	saves := a.scripts.Saves(false)
	require.Len(t, saves, 1)
	assert.True(t, saves[0].Whole)
	assert.Len(t, saves[0].Values, 5)
}

// TestManyValuesArrive: the tick that shows many values compares some of them only, and later ones
// the rest. A value that changes meanwhile is told once.
func TestManyValuesArrive(t *testing.T) {
	const many = 20_000
	f := newSharedFleet()
	m := f.join("arena-1")
	a := sharing(t, m, `count = 0 function onShared(k, v) count = count + 1 last = v end`)
	f.rounds(2, a)
	part := store.News{Set: "m-shared", Part: true}
	for i := range many {
		part.Values = append(part.Values, store.Value{Key: fmt.Sprintf("%06d", i), Data: one, Rev: uint64(i + 1), Owner: "stranger"})
	}
	last := store.News{Set: "m-shared", Whole: true, Values: part.Values[many-1:]}
	part.Values = part.Values[:many-1]
	m.inbox = append(m.inbox, part, last, newsOf(many+1, []byte{1, 'i', 4}, fmt.Sprintf("%06d", many-1)))
	f.rounds(2, a)
	assert.Equal(t, "1", a.in(`return shared:get("000000")`))
	assert.Less(t, a.number("count"), many/2)
	for range 2000 {
		if f.rounds(1, a); a.number("count") >= many {
			break
		}
	}
	f.rounds(20, a)
	assert.Equal(t, many, a.number("count"))
}

// TestArrivalsAreBounded: parts count for the limit of a set as a whole, and a bucket that does not
// count leaves nothing of its parts.
func TestArrivalsAreBounded(t *testing.T) {
	f := newSharedFleet()
	m := f.join("arena-1")
	m.part = 10
	a := sharing(t, m, "")
	assert.Empty(t, a.line("fleet.maxShared 10000"))
	for i := range 200 {
		f.foreign("m-shared", fmt.Sprintf("k%03d", i), append([]byte{1, 's', 100}, make([]byte, 100)...))
	}
	f.rounds(30, a)
	few := a.number(`(function() local n = 0 for k in shared:each() do n = n + 1 end return n end)()`)
	assert.Equal(t, 71, few, "each has 139 bytes")
	assert.Equal(t, 1, strings.Count(strings.Join(a.log, "\n"), "exceed fleet.maxShared"))

	stale := store.News{Set: "m-shared", Part: true, Values: []store.Value{{Key: "stale", Data: one, Rev: 1 << 40, Owner: "stranger"}}}
	m.inbox = append(m.inbox, stale, store.News{Set: "m-shared", Held: true})
	f.rounds(2, a)
	m.whole("m-shared", false)
	f.rounds(30, a)
	a.is("nil", `tostring(shared:get("stale"))`)
}
