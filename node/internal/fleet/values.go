package fleet

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/store"
)

// values are the values of mods that the servers of a fleet share. It implements store.Fleet: it
// passes the changes of mods to the bus, and the news of the bus to the mods, and it decides which
// bucket counts.
type values struct {
	service *Service
	copy    copyFile
	sets    map[string]*valueSet // by the name of the set; never iterated
	names   []string             // of the sets, in the order in which they were read
	inbox   []store.News
	batches uint64
	bucketLife
	warned  bool // of a bucket that does not count
	ticks   uint64
	upSince uint64 // tick since which the line is up; 0: it is down
}

// A valueSet is a set that this server follows.
type valueSet struct {
	epoch   bus.Epoch // of what the mod sees; zero: it has seen nothing of the fleet
	refused bool      // the bucket that the bus has does not count
	part    bool      // more of its values follow
}

// storeSuffix ends the names of the groups of a global store. The group of a global shared has the
// name of its mod.
const storeSuffix, sharedSuffix = "-store", "-shared"

// groupOf returns the group of a set.
func groupOf(set string) bus.Group {
	if mod, shared := strings.CutSuffix(set, sharedSuffix); shared {
		return bus.Group{Bucket: bus.Shared, Name: mod}
	}
	return bus.Group{Bucket: bus.Shared, Name: set + storeSuffix}
}

// setOf returns the set of a group.
func setOf(group string) string {
	if mod, is := strings.CutSuffix(group, storeSuffix); is {
		return mod
	}
	return group + sharedSuffix
}

func newValues(s *Service) *values {
	v := &values{service: s, sets: map[string]*valueSet{}, copy: copyFile{load: s.opts.LoadCopy}}
	s.handlers.values[bus.Shared] = v
	s.handlers.line = append(s.handlers.line, v.line)
	return v
}

// Shared returns what keeps the values that mods share with other servers, nil without a fleet.
func (s *Service) Shared() store.Fleet {
	if s.values == nil {
		return nil
	}
	return s.values
}

// Name implements store.Fleet.
func (v *values) Name() string { return v.service.Name() }

// goneTicks is how long the line of this server must be up before it believes that another one is
// gone: each server that lives tells the fleet so in this time.
const goneTicks = uint64(bus.GoneAfter/engine.TickTime) + 1

// Gone reports whether a server has been away for so long that its claims have ended. The fleet
// leaves a server out 6 s after its last word. A server that has just got its line back knows
// nobody, and says no.
func (v *values) Gone(server string) bool {
	return v.upSince > 0 && v.ticks-v.upSince >= goneTicks && !v.present(server)
}

// present reports whether the fleet has a server with a name.
func (v *values) present(name string) bool {
	return slices.ContainsFunc(v.service.presence.list, func(s bus.Server) bool { return s.Name == name })
}

// line counts how long the line is up.
func (v *values) line(l *bus.Line) {
	switch {
	case !l.Up:
		v.upSince = 0
	case v.upSince == 0:
		v.upSince = max(v.ticks, 1)
	}
}

// Load reads the copy of a set on the disk, and follows the set.
func (v *values) Load(set string) ([]store.Value, []store.Change, error) {
	if v.sets[set] == nil {
		v.names = append(v.names, set)
	}
	if len(v.names) == 1 {
		v.epoch, v.newest = v.copy.life(lifeKey)
	}
	vs := &valueSet{}
	v.sets[set] = vs
	vs.epoch = v.copy.epochOf(set)
	values, unsent := v.copy.set(set)
	if err := v.copy.failed(); err != nil {
		v.service.core.Log.Warn("the copy of the shared values cannot be read: this server gets them from the fleet", "why", err)
	}
	v.ask(set)
	return values, unsent, nil
}

// follow follows all sets that were read before the line was opened.
func (v *values) follow() {
	for _, set := range v.names {
		v.ask(set)
	}
}

func (v *values) ask(set string) {
	v.service.do(bus.Follow{Group: groupOf(set), Epoch: v.epoch, Newest: v.newest, Sound: store.Sound})
}

// Commit implements store.Fleet.
func (v *values) Commit(set string, changes []store.Change) uint64 {
	v.batches++
	number := v.batches
	writes := make([]bus.Write, len(changes))
	for i, c := range changes {
		writes[i] = bus.Write{Group: groupOf(set), Key: c.Key, Data: c.Data, Base: bus.Revision(c.Base), Chained: c.Chained}
	}
	v.service.commit(v.sets[set].epoch, writes, func(o *bus.Outcome) {
		e := &store.Ended{Batch: number, Conflict: o.Conflict, Err: o.Err}
		for _, r := range o.Revs {
			e.Revs = append(e.Revs, uint64(r))
			v.saw(v.sets[set].epoch, r)
		}
		v.inbox = append(v.inbox, store.News{Set: set, Outcome: e})
	})
	return number
}

// News implements store.Fleet. Storage calls it once a tick.
func (v *values) News() []store.News {
	v.ticks++
	news := v.inbox
	v.inbox = nil
	return news
}

// loaded takes over all values of a group, or a part of them, if the bucket counts. A bucket of a
// higher epoch does: the fleet was restored. An empty bucket or an older copy does not: taking it
// would lose what this server has.
func (v *values) loaded(l *bus.Loaded) {
	set := setOf(l.Name)
	vs := v.sets[set]
	if vs == nil {
		return
	}
	first := !vs.part
	vs.part = l.More
	if first && !v.counts(l.Epoch, l.Last) || !first && (vs.refused || !v.holds(l.Epoch)) {
		vs.refused = true
		v.inbox = append(v.inbox, store.News{Set: set, Held: true})
		if !v.warned {
			v.warned = true
			v.service.core.Log.Error("the fleet has lost shared values that this server has, or has an older copy: this server keeps its own and sends no changes until they are restored (torc fleet restore)")
		}
		return
	}
	n := store.News{Set: set, Part: l.More, Whole: !l.More, Anew: vs.epoch.Count > 0 && vs.epoch != l.Epoch}
	for _, value := range l.Values {
		n.Values = append(n.Values, valueOf(value))
	}
	v.inbox = append(v.inbox, n)
	vs.refused = false
	if !l.More { // the mod still sees those of the epoch before
		v.begins(l.Epoch, l.Last)
		vs.epoch, v.warned = l.Epoch, false
	}
}

// changed takes over a value.
func (v *values) changed(c *bus.Changed) {
	set := setOf(c.Name)
	vs := v.sets[set]
	if vs == nil || vs.refused || c.Epoch != vs.epoch {
		return
	}
	v.saw(c.Epoch, c.Rev)
	v.inbox = append(v.inbox, store.News{Set: set, Values: []store.Value{valueOf(c.Value)}})
}

func valueOf(v bus.Value) store.Value {
	return store.Value{Key: v.Key, Data: v.Data, Rev: uint64(v.Rev), Owner: v.Owner}
}

// epochs returns the epochs of the sets that this server has seen.
func (v *values) epochs() map[string]bus.Epoch {
	all := map[string]bus.Epoch{}
	for _, set := range slices.Sorted(slices.Values(v.names)) {
		if e := v.sets[set].epoch; e.Count > 0 {
			all[set] = e
		}
	}
	return all
}
