package fleet

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A sweptFleet is the lists of several servers with one bucket, which takes an order in the tick
// after it.
type sweptFleet struct {
	list    []*listRig
	values  map[string]bus.Value // of the bans
	rev     bus.Revision
	orders  []func()
	refused map[string]bool // servers that cannot write
	writes  map[string]int  // orders, by server
	lost    int             // of them to another server
	most    int             // in one tick
	date    time.Time
}

// A sweptLine is the bus of one of the servers.
type sweptLine struct {
	fleet *sweptFleet
	rig   *listRig
}

func (l sweptLine) Take() []bus.News          { return nil }
func (l sweptLine) Close(time.Duration) error { return nil }

func (l sweptLine) Do(o bus.Order) {
	if c, is := o.(bus.Commit); is {
		l.fleet.orders = append(l.fleet.orders, func() { l.fleet.commit(l.rig, c.Batch) })
	}
}

// sweptFleetOf returns servers that look for entries at different times.
func sweptFleetOf(t *testing.T, servers int) *sweptFleet {
	f := &sweptFleet{values: map[string]bus.Value{}, refused: map[string]bool{}, writes: map[string]int{}, date: time.Unix(1e9, 0)}
	var all []bus.Server
	for i := range servers {
		r := namedListRig(t, fmt.Sprintf("arena-%03d", i))
		r.service.bus, r.service.up = sweptLine{f, r}, true
		r.sweep.date = func() time.Time { return f.date }
		r.sweep.next = uint64(7*i) % sweepEvery
		f.list, all = append(f.list, r), append(all, bus.Server{Name: r.service.Name()})
	}
	for i, r := range f.list {
		r.service.presence.list = append(append([]bus.Server{}, all[:i]...), all[i+1:]...)
	}
	return f
}

// put adds an entry that ends some time before now.
func (f *sweptFleet) put(target, owner string, ago time.Duration) {
	f.rev++
	e := Entry{Target: target, Until: f.date.Add(-ago)}
	f.values[target] = bus.Value{Key: target, Data: e.encode(), Rev: f.rev, Owner: owner}
}

// read lets all servers read the bucket.
func (f *sweptFleet) read() {
	var all []bus.Value
	for _, v := range f.values { // any order: it is a list of the fleet
		all = append(all, v)
	}
	for _, r := range f.list {
		r.rev = f.rev
		r.reads(BanList, all...)
	}
}

func (f *sweptFleet) commit(r *listRig, b bus.Batch) {
	w, name := b.Writes[0], r.service.Name()
	f.writes[name]++
	o := bus.Outcome{Number: b.Number}
	switch {
	case f.refused[name]:
		o.Err = "NATS does not let this server write"
	case f.values[w.Key].Rev != w.Base:
		f.lost++
		o.Conflict, o.Err = true, "another server has changed the value"
	default:
		f.rev++
		o.Revs = []bus.Revision{f.rev}
		delete(f.values, w.Key)
		for _, other := range f.list {
			other.hears(BanList, bus.Value{Key: w.Key, Rev: f.rev, Owner: name})
			other.steps(1)
		}
	}
	r.service.Hear(&bus.News{Outcome: &o})
}

// run runs ticks.
func (f *sweptFleet) run(ticks uint64) {
	for range ticks {
		orders := f.orders
		f.orders = nil
		f.most = max(f.most, len(orders))
		for _, do := range orders {
			do()
		}
		for _, r := range f.list {
			r.beginTick()
		}
	}
}

// TestEntriesThatAreOverGo: one server after another removes the entries whose time is over, and
// never two at once. Those that count stay, and so do those that have just ended.
func TestEntriesThatAreOverGo(t *testing.T) {
	for _, servers := range testenv.Crowds {
		f := sweptFleetOf(t, servers)
		for i := range 100 {
			f.put(fmt.Sprint("over ", i), fmt.Sprintf("arena-%03d", i%servers), graceTime+time.Duration(1000-i)*time.Second)
		}
		f.put("counts", "arena-000", -time.Minute)
		f.put("has just ended", "arena-000", graceTime-time.Minute)
		f.read()
		f.run(2 * sweepEvery)
		assert.NotEmpty(t, f.writes, "%d servers", servers)
		f.run(8 * sweepEvery)
		assert.Len(t, f.values, 2)
		all := 0
		for _, n := range f.writes { // any order: it is a sum
			all += n
		}
		assert.Equal(t, 100, all, "each is removed once")
		assert.Zero(t, f.lost)
		assert.Equal(t, 1, f.most, "two servers are at work")
		for _, r := range f.list {
			assert.Len(t, r.own[BanList], 2)
			assert.Equal(t, 2, r.intake.count)
		}
		f.date = f.date.Add(2 * time.Minute)
		f.run(3 * sweepEvery)
		assert.Len(t, f.values, 1)
	}
}

// TestWhoCannotWriteTheLists: a server that NATS does not let write tries once, and the next one by
// name does it.
func TestWhoCannotWriteTheLists(t *testing.T) {
	f := sweptFleetOf(t, 3)
	f.refused["arena-000"], f.refused["arena-001"] = true, true
	for i := range 3 {
		f.put(fmt.Sprint("over ", i), "a server that has left", 2*graceTime)
	}
	f.read()
	f.run(6 * sweepEvery)
	assert.Empty(t, f.values)
	assert.Equal(t, map[string]int{"arena-000": 1, "arena-001": 1, "arena-002": 3}, f.writes)
}

// TestChangedEntryStays: an entry that another server has made longer meanwhile is not removed.
func TestChangedEntryStays(t *testing.T) {
	f := sweptFleetOf(t, 1)
	f.put("Ann", "arena-000", 2*graceTime)
	f.read()
	f.put("Ann", "arena-001", -time.Hour) // the news of it are on their way
	f.run(6 * sweepEvery)
	assert.Len(t, f.values, 1)
	assert.NotZero(t, f.lost)
}
