package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// plainLists are the lists of a server in memory. A target that begins with ! is wrong.
type plainLists map[string]map[string]Entry

func (plainLists) Check(_ string, e *Entry) error {
	if strings.HasPrefix(e.Target, "!") {
		return errors.New("it is for nobody")
	}
	return nil
}

func (p plainLists) Replace(list string, all []Entry) {
	p[list] = map[string]Entry{}
	for i := range all {
		p.Put(list, all[i])
	}
}

func (p plainLists) Put(list string, e Entry)   { p[list][e.Target] = e }
func (p plainLists) Remove(list, target string) { delete(p[list], target) }
func (plainLists) Changed()                     {}

// listRig is the lists of a server without its loop.
type listRig struct {
	*lists
	own plainLists
	log bytes.Buffer
	rev bus.Revision
}

var life = bus.Epoch{Count: 1, ID: 5}

func newListRig(t *testing.T) *listRig { return namedListRig(t, "hub") }

func namedListRig(t *testing.T, name string) *listRig {
	r := &listRig{own: plainLists{}}
	for _, name := range listNames {
		r.own[name] = map[string]Entry{}
	}
	c := &core.Core{Owner: &core.Owner{Log: slog.New(slog.NewTextHandler(&r.log, nil))}}
	s, err := New(c, Options{Joins: &Joins{Name: name}, Lists: r.own})
	require.NoError(t, err)
	r.lists = s.lists
	return r
}

// value is an entry as a server writes it.
func (r *listRig) value(target, owner string) bus.Value {
	r.rev++
	e := Entry{Target: target, Reason: "cheats"}
	return bus.Value{Key: target, Data: e.encode(), Rev: r.rev, Owner: owner}
}

// reads lets the rig read a list, and returns how many entries passed.
func (r *listRig) reads(name string, values ...bus.Value) int {
	n := bus.News{Loaded: &bus.Loaded{Group: bus.Group{Bucket: bus.Lists, Name: name}, Epoch: life, Last: r.rev, Values: values}}
	if !r.admits(&n) {
		return -1
	}
	r.loaded(n.Loaded)
	return len(n.Loaded.Values)
}

// hears lets the rig hear of a changed entry. It waits for its turn.
func (r *listRig) hears(name string, v bus.Value) {
	r.admits(&bus.News{Changed: &bus.Changed{Group: bus.Group{Bucket: bus.Lists, Name: name}, Epoch: life, Value: v}})
}

// steps lets so many ticks pass what waits.
func (r *listRig) steps(n int) (passed int) {
	for range n {
		for _, n := range r.intake.due() {
			r.changed(n.Changed)
			passed++
		}
	}
	return passed
}

// TestListsAreBounded: writers that fill the lists lose their own entries, in a list that is read
// and in one that changes. The entries of a server with few stay, and a full list still takes its
// next one.
func TestListsAreBounded(t *testing.T) {
	for _, floods := range testenv.Every(2, testenv.Crowds) {
		for _, whole := range []bool{true, false} {
			r := newListRig(t)
			var all []bus.Value
			for i := range 20 {
				all = append(all, r.value(fmt.Sprint("honest ", i), "honest"))
			}
			for i := range 2 * maxEntries {
				all = append(all, r.value(fmt.Sprint("flood ", i), fmt.Sprint("flood-", i%floods)))
			}
			if whole {
				assert.Equal(t, maxEntries, r.reads(BanList, all...))
			} else {
				assert.Zero(t, r.reads(BanList))
				for _, v := range all {
					r.hears(BanList, v)
				}
				r.steps(2 * maxEntries / entriesPerStep)
			}
			r.reads(MuteList)
			r.hears(MuteList, r.value("late", "honest"))
			r.steps(2)
			assert.NotEmpty(t, r.own[MuteList]["late"], "%d floods", floods)
			assert.Equal(t, maxEntries, len(r.own[BanList])+len(r.own[MuteList]))
			for i := range 20 {
				assert.NotEmpty(t, r.own[BanList][fmt.Sprint("honest ", i)])
			}
			for _, w := range r.intake.writers.heap {
				assert.LessOrEqual(t, len(w.entries), (maxEntries-21)/floods+1)
			}
			assert.Equal(t, floods, strings.Count(r.log.String(), "more than 16,384 entries"), "each is named once")
		}
	}
}

// TestChangesTakeTurns: members that write without end delay no entry of another one by more than
// their number, and the newest value of an entry passes, once.
func TestChangesTakeTurns(t *testing.T) {
	for _, floods := range testenv.Crowds {
		r := newListRig(t)
		r.reads(BanList)
		for i := range 6000 {
			r.hears(BanList, r.value(fmt.Sprint("flood ", i%3000), fmt.Sprint("flood-", i%floods)))
		}
		r.hears(BanList, r.value("Ann", "honest"))
		first := r.steps(floods/entriesPerStep + 1)
		assert.Contains(t, r.own[BanList], "Ann", "%d floods", floods)
		passed := r.steps(3001/entriesPerStep + 1)
		assert.Len(t, r.own[BanList], 3001)
		assert.Equal(t, 3001, first+passed, "each has passed once")
		assert.Zero(t, r.steps(1))
		assert.Zero(t, r.intake.turns.Len())
	}
}

// TestEntriesThatAreNone: what no server can have written has no effect, and its writer is named
// once. Ends of entries that nobody has heard of do not pass.
func TestEntriesThatAreNone(t *testing.T) {
	r := newListRig(t)
	wrong := []bus.Value{r.value("!", "odd"), r.value("a", "odd"), r.value("b", "odd"), r.value("c", "odd")}
	wrong[1].Data = []byte("no value")
	wrong[2].Data = bytes.Repeat([]byte("x"), maxEntry+1)
	wrong[3].Data = (&Entry{Reason: "r"}).encode()
	wrong[3].Data[0]++ // a newer format
	assert.Equal(t, 1, r.reads(BanList, append(wrong, r.value("Ann", "honest"))...))
	for _, v := range wrong {
		r.hears(BanList, v)
	}
	r.hears(BanList, bus.Value{Key: "nobody", Rev: 90})
	assert.Zero(t, r.steps(2))
	assert.Len(t, r.own[BanList], 1)
	assert.Equal(t, 1, strings.Count(r.log.String(), "server=odd"))
	assert.Equal(t, -1, r.reads("other lists", r.value("x", "odd")))

	bad := r.value("Ann", "odd") // what was good is over
	bad.Data = []byte("no value")
	r.hears(BanList, bad)
	r.hears("other lists", r.value("Ann", "odd"))
	r.steps(1)
	assert.Empty(t, r.own[BanList])
	assert.Empty(t, r.intake.entries[BanList])
	assert.Empty(t, r.intake.writers.byName)
}

// TestOldNewsOfLists: changes of another life of the bucket have no effect, and an entry that ends
// before it has passed does not pass at all.
func TestOldNewsOfLists(t *testing.T) {
	r := newListRig(t)
	v := r.value("Ann", "honest")
	r.hears(BanList, v)
	assert.Zero(t, r.steps(1), "the list was not read")
	r.reads(BanList)
	r.admits(&bus.News{Changed: &bus.Changed{Group: bus.Group{Bucket: bus.Lists, Name: BanList}, Epoch: bus.Epoch{Count: 9}, Value: v}})
	assert.Zero(t, r.steps(1))
	r.hears(BanList, v)
	r.hears(BanList, bus.Value{Key: "Ann", Rev: 7, Owner: "other"})
	assert.Zero(t, r.steps(1))
	r.hears(BanList, v)
	assert.Equal(t, 1, r.steps(1))
	r.hears(BanList, bus.Value{Key: "Ann", Rev: 8, Owner: "other"})
	assert.Equal(t, 1, r.steps(1))
	assert.Empty(t, r.own[BanList])
}
