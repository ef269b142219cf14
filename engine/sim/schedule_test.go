package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEventsRunByTimeThenID(t *testing.T) {
	s := NewSchedule(nil)
	var ran []string
	note := func(text string) func() { return func() { ran = append(ran, text) } }
	s.At(0, 50, Owner{}, note("c"))
	s.At(0, 20, Owner{}, note("a"))
	s.At(10, 40, Owner{}, note("d"))
	s.At(0, 20, Owner{}, note("b"))
	s.At(0, -5, Owner{}, note("first"))
	s.At(0, 51, Owner{}, note("late"))
	s.At(1, math.MaxInt64, Owner{}, note("never"))
	s.Run(50)
	assert.Equal(t, []string{"first", "a", "b", "c", "d"}, ran)
	assert.Equal(t, 2, s.Len())
	s.Run(51)
	s.Run(51)
	assert.Equal(t, "late", ran[5])
	assert.Len(t, ran, 6)
}

func TestDueEventsWaitWhileBusy(t *testing.T) {
	s := NewSchedule(nil)
	var ran []string
	left := 2
	s.Busy = func(string) bool { return left == 0 }
	for i, text := range []string{"a", "b", "c", "d"} {
		s.At(0, int64(10*i), Owner{}, func() { ran, left = append(ran, text), left-1 })
	}
	s.Run(100)
	assert.Equal(t, []string{"a", "b"}, ran)
	assert.Equal(t, 2, s.Len())
	s.At(100, 0, Owner{}, func() { ran = append(ran, "e") })
	left = 5
	s.Run(101)
	assert.Equal(t, []string{"a", "b", "c", "d", "e"}, ran)
}

// TestRollbackRestoresEvents checks events that a rolled back change cancelled. They run once, on
// time, and still end with their owner.
func TestRollbackRestoresEvents(t *testing.T) {
	w := testWorld(t)
	o, s := newThing(t, w), NewSchedule(w)
	var ran []string
	event := func(owner Owner, text string) TimerID { return s.At(0, 10, owner, func() { ran = append(ran, text) }) }
	first, mine, second := event(Owner{}, "first"), event(Owner{Object: o.ID(), Mod: "m"}, "mine"), event(Owner{Object: o.ID()}, "second")
	c := w.Begin()
	for _, id := range []TimerID{second, mine, first} {
		assert.True(t, s.Cancel(id))
		assert.False(t, s.Cancel(id))
		assert.False(t, s.Pending(id))
	}
	s.Cancel(event(Owner{Mod: "m#2"}, "new"))
	event(Owner{}, "third")
	c.Rollback()
	assert.Equal(t, []int{5, 1, 1}, []int{s.Len(), s.OfMod("m"), s.OfMod("m#2")})
	s.CancelOwner(Owner{Mod: "m#2"})
	c = w.Begin()
	s.Cancel(first)
	c.Commit()
	w.Begin().Rollback()
	s.Run(10)
	assert.Equal(t, []string{"mine", "second", "third"}, ran)
	assert.Zero(t, s.Len())
	assert.Empty(t, s.objects)
}

// TestRollbackRestoresTheRunningEvent checks a repeated event that cancels itself in a change,
// alone or with its mod. It runs again if the change is rolled back, during this run or after it.
func TestRollbackRestoresTheRunningEvent(t *testing.T) {
	for name, c := range map[string]struct {
		cancel func(s *Schedule, id TimerID)
		later  bool // the rollback comes after the run
	}{
		"itself":         {func(s *Schedule, id TimerID) { assert.True(t, s.Cancel(id)) }, false},
		"itself, later":  {func(s *Schedule, id TimerID) { assert.True(t, s.Cancel(id)) }, true},
		"its mod":        {func(s *Schedule, _ TimerID) { s.CancelOwner(Owner{Mod: "m"}) }, false},
		"its mod, later": {func(s *Schedule, _ TimerID) { s.CancelOwner(Owner{Mod: "m"}) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := testWorld(t)
			s, ran := NewSchedule(w), 0
			var id TimerID
			var change *Transaction
			id = s.Every(0, 10, Owner{Mod: "m"}, func() {
				if ran++; ran > 1 {
					return
				}
				change = w.Begin()
				c.cancel(s, id)
				assert.False(t, s.Pending(id))
				if !c.later {
					change.Rollback()
				}
			})
			s.Run(10)
			if c.later {
				assert.False(t, s.Pending(id))
				change.Rollback()
			}
			require.True(t, s.Pending(id))
			s.Run(20)
			s.Run(30)
			assert.Equal(t, 3, ran)
			assert.Equal(t, 1, s.Len())
		})
	}
}

// TestBusyModDoesNotDelayOthers checks that an overloaded mod does not delay the events of other
// mods.
func TestBusyModDoesNotDelayOthers(t *testing.T) {
	s := NewSchedule(nil)
	var ran []string
	s.Busy = func(mod string) bool { return mod == "hog" && len(ran) > 0 }
	for i, mod := range []string{"hog", "hog", "ctf", "hog", "", "ctf"} {
		s.At(0, int64(i), Owner{Mod: mod}, func() { ran = append(ran, mod+strconv.Itoa(i)) })
	}
	s.Run(4)
	assert.Equal(t, []string{"hog0", "ctf2", "4"}, ran)
	assert.Equal(t, []int{2, 1, 0}, []int{s.OfMod("hog"), s.OfMod("ctf"), s.OfMod("")})
	s.Busy = nil
	s.At(4, 0, Owner{Mod: "ctf"}, func() { ran = append(ran, "late") })
	s.Run(5)
	assert.Equal(t, []string{"hog0", "ctf2", "4", "hog1", "hog3", "late", "ctf5"}, ran)
	assert.Empty(t, s.lanes)
	assert.Empty(t, s.mods)
}

// TestRetry postpones an event twice. It keeps its id and its owner.
func TestRetry(t *testing.T) {
	w := testWorld(t)
	o, s := newThing(t, w), NewSchedule(w)
	var at []int64
	now := int64(0)
	id := s.At(0, 10, Owner{Object: o.ID(), Mod: "m"}, func() {
		if at = append(at, now); len(at) < 3 {
			s.Retry(20)
		}
	})
	every := s.Every(0, 30, Owner{}, func() { s.Retry(1) })
	for now = 0; now < 40; now++ {
		s.Run(now)
	}
	assert.Equal(t, []int64{10, 30}, at)
	assert.True(t, s.Pending(id))
	_, due := s.Times(every)
	assert.EqualValues(t, 60, due, "a repeated event waits for its next run")
	require.NoError(t, w.Delete(o))
	s.CancelOwner(Owner{Object: o.ID()})
	for ; now < 100; now++ {
		s.Run(now)
	}
	assert.Len(t, at, 2)
	assert.Zero(t, s.OfMod("m"))
}

// TestRepeatedEvents checks that they keep their id and their rhythm, skip runs that are late, and
// end when they are cancelled, also by themselves.
func TestRepeatedEvents(t *testing.T) {
	w := testWorld(t)
	o, s := newThing(t, w), NewSchedule(w)
	var at []int64
	now := int64(0)
	run := func(times ...int64) {
		for _, now = range times {
			s.Run(now)
		}
	}
	id := s.Every(0, 10, Owner{Mod: "m"}, func() { at = append(at, now) })
	run(9, 12, 19, 20, 55, 60, 65)
	assert.Equal(t, []int64{12, 20, 55, 65}, at)
	begun, due := s.Times(id)
	assert.Equal(t, []int64{65, 75}, []int64{begun, due})
	assert.True(t, s.Cancel(id))
	run(100)
	assert.Len(t, at, 4)
	begun, due = s.Times(id)
	assert.Equal(t, []int64{0, 0}, []int64{begun, due})

	n := 0
	id = s.Every(100, 0, Owner{}, func() {
		if n++; n == 2 {
			assert.True(t, s.Cancel(id))
			assert.False(t, s.Pending(id))
		}
	})
	s.Every(100, 1, Owner{Object: o.ID()}, func() { assert.NoError(t, w.Delete(o)); s.CancelOwner(Owner{Object: o.ID()}) })
	s.Every(100, 1, Owner{Mod: "m"}, func() { s.CancelOwner(Owner{Mod: "m"}) })
	run(101, 102, 103, 104)
	assert.Equal(t, 2, n)
	assert.Zero(t, s.Len())
}

func TestCancel(t *testing.T) {
	s := NewSchedule(nil)
	fail := func() { assert.Fail(t, "cancelled") }
	id := s.At(0, 10, Owner{}, fail)
	assert.True(t, s.Pending(id))
	assert.True(t, s.Cancel(id))
	assert.False(t, s.Cancel(id))
	assert.False(t, s.Pending(id))
	assert.False(t, s.Cancel(0))
	var second TimerID
	s.At(0, 10, Owner{}, func() { assert.True(t, s.Cancel(second)) })
	second = s.At(0, 10, Owner{}, fail)
	s.Run(10)
	assert.Zero(t, s.Len())
}

func TestEventsCanSchedule(t *testing.T) {
	s := NewSchedule(nil)
	n := 0
	var again func()
	again = func() {
		n++
		s.At(0, 0, Owner{}, again)
		s.Cancel(s.At(0, 0, Owner{}, func() { assert.Fail(t, "cancelled before it began") }))
	}
	s.At(0, 0, Owner{}, again)
	for want := 1; want <= 3; want++ {
		s.Run(100)
		assert.Equal(t, want, n, "once in a Run")
	}
}

func TestOwners(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	s := NewSchedule(w)
	var ran []string
	at := func(o Object, mod, text string) TimerID {
		owner := Owner{Mod: mod}
		if o != nil {
			owner.Object = o.Ident().ID()
		}
		return s.At(0, 10, owner, func() { ran = append(ran, text) })
	}
	id := at(a, "ctf", "a")
	at(b, "ctf", "b")
	at(b, "base", "b of base")
	at(nil, "base", "base")
	at(nil, "", "nobody")
	assert.Equal(t, 2, s.OfMod("ctf"))
	require.NoError(t, w.Delete(a))
	assert.False(t, s.Pending(id), "the object is dead")
	s.CancelOwner(Owner{})
	assert.Equal(t, 5, s.Len(), "an empty owner owns nothing")
	s.CancelOwner(Owner{Object: a.ID()})
	assert.Equal(t, 4, s.Len())
	assert.Equal(t, 1, s.OfMod("ctf"))
	s.CancelOwner(Owner{Mod: "base"})
	assert.Equal(t, 2, s.Len())
	s.Run(10)
	assert.Equal(t, []string{"b", "nobody"}, ran)
	assert.Empty(t, s.objects)
	assert.Empty(t, s.mods)
}

func TestEventsOfDeletedObjectsDoNotRun(t *testing.T) {
	w := testWorld(t)
	a := newThing(t, w)
	s := NewSchedule(w)
	s.At(0, 10, Owner{}, func() { assert.NoError(t, w.Delete(a)) })
	s.At(0, 10, Owner{Object: a.ID()}, func() { assert.Fail(t, "its object is dead") })
	s.Run(10)
	assert.Zero(t, s.Len())
}

// TestScheduleAgainstSort compares the schedule with sorting.
func TestScheduleAgainstSort(t *testing.T) {
	type plan struct {
		due int64
		id  TimerID
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := NewSchedule(nil)
		var want, got []plan
		for range 100 {
			p := plan{due: rng.Int64N(20)}
			var id TimerID
			id = s.At(0, p.due, Owner{Object: ID(rng.IntN(4))}, func() { got = append(got, plan{p.due, id}) })
			p.id = id
			if rng.IntN(3) == 0 {
				s.Cancel(id)
			} else {
				want = append(want, p)
			}
		}
		slices.SortStableFunc(want, func(a, b plan) int { return int(a.due - b.due) })
		for now := range int64(20) {
			s.Run(now)
		}
		require.Equal(t, want, got, "seed %d", seed)
		require.Empty(t, s.objects)
	}
}

// TestScheduleList checks the order of the list, its choice by object, and that it has the repeated
// event that runs.
func TestScheduleList(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	s := NewSchedule(w)
	late := s.At(0, 30, Owner{Object: a.ID(), What: "late"}, func() {})
	first := s.At(0, 10, Owner{Mod: "m"}, func() {})
	second := s.At(0, 10, Owner{Object: a.ID()}, func() {})
	dead := s.At(0, 10, Owner{Object: b.ID()}, func() {})
	var inside []Timer
	every := s.Every(0, 5, Owner{}, func() { inside = s.List(0) })
	ids := func(list []Timer) (ids []TimerID) {
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		return ids
	}
	assert.Equal(t, []TimerID{every, first, second, dead, late}, ids(s.List(0)))
	assert.Equal(t, []TimerID{second, late}, ids(s.List(a.ID())))
	assert.Equal(t, Timer{late, Owner{Object: a.ID(), What: "late"}, 30, 0}, s.List(a.ID())[1])
	require.NoError(t, w.Delete(b))
	w.Sweep()
	s.Run(6)
	assert.Equal(t, []TimerID{first, second, every, late}, ids(inside))
	assert.Equal(t, int64(5), inside[2].Repeat)
}

// TestLateEventsAreFair lets 1, 32 and 250 causes schedule more events than the four that a tick
// runs. When each has had a turn, the event of another cause runs in its tick. Those of each cause
// keep their order.
func TestLateEventsAreFair(t *testing.T) {
	for _, causes := range []int{1, 32, 250} {
		s := NewSchedule(nil)
		used, order := map[ID]int64{}, map[ID][]int{}
		left, late, each := 0, 0, 1+20/causes
		s.Busy = func(string) bool { return left == 0 }
		s.Ahead = func(cause ID) int64 { return used[cause] }
		owner := func(cause ID) Owner { return Owner{Mod: "m", Cause: cause} }
		for now := int64(0); now < 80*TickMs; now += TickMs {
			for cause := range ID(causes) {
				for i := range each {
					s.At(now, 0, owner(cause+2), func() {
						order[cause] = append(order[cause], int(now)+i)
						used[cause+2]++
						left--
					})
				}
			}
			ran := false
			s.At(now, 0, owner(1), func() { ran = true })
			left = 4
			if s.Run(now); !ran {
				late++
			}
		}
		assert.LessOrEqual(t, late, 1+causes/4, "%d causes: the first turns are by age", causes)
		for cause, list := range order { // any order: each is checked alone
			rises := true
			for i := 1; i < len(list); i++ {
				rises = rises && list[i-1] < list[i]
			}
			assert.True(t, rises, "cause %d", cause)
		}
		assert.Equal(t, 80*each, s.OfCause("m", 2)+len(order[0]), "each event is pending until it runs")
	}
}

// TestLateEventsCanBeCancelled cancels events that wait for their turn while others run. A rollback
// brings one back, once.
func TestLateEventsCanBeCancelled(t *testing.T) {
	w := testWorld(t)
	s := NewSchedule(w)
	var ran []string
	busy := true
	s.Busy = func(string) bool { return busy }
	ids := map[string]TimerID{}
	event := func(text string, do func()) {
		ids[text] = s.At(0, 0, Owner{Mod: "m", Cause: 1}, func() { ran = append(ran, text); do() })
	}
	event("first", func() {
		assert.True(t, s.Cancel(ids["second"]))
		c := w.Begin()
		assert.True(t, s.Cancel(ids["third"]))
		c.Rollback()
		busy = true
	})
	for _, text := range []string{"second", "third", "fourth"} {
		event(text, func() {})
	}
	s.Run(1)
	busy = false
	s.Run(2)
	assert.Equal(t, 2, s.Len())
	busy = false
	s.Run(3)
	s.Run(4)
	assert.Equal(t, []string{"first", "third", "fourth"}, ran)
	event("fifth", func() { t.Error("its mod has ended") })
	event("sixth", func() {})
	busy = true
	s.Run(5)
	busy = false
	s.At(5, 0, Owner{Mod: "m"}, func() { s.CancelOwner(Owner{Mod: "m"}) })
	s.Run(6)
	assert.Zero(t, s.Len())
}
