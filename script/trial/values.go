package trial

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/vm"
)

// values keeps what the servers of a test share, and implements store.Fleet for the server of the
// test. A batch of that server comes to the fleet at the start of the next tick. So another server
// is faster if the test puts before.
type values struct {
	fleet  *Fleet
	rev    uint64
	sets   map[string]map[string]store.Value // by set and key, with deleted ones
	queue  []valueBatch
	number uint64
	news   []store.News
	first  map[valuePlace][]byte // values that come just before the next change of their key
	beats  map[valuePlace]*FleetServer
	fails  string // why the next batch fails; "" if it does not
}

// A valueBatch is a batch of the server of the test.
type valueBatch struct {
	number  uint64
	set     string
	changes []store.Change
	fails   string // why it fails; "" if it does not
}

// A valuePlace is a key of a set.
type valuePlace struct{ set, key string }

func newValues(f *Fleet) *values {
	return &values{fleet: f, sets: map[string]map[string]store.Value{}, first: map[valuePlace][]byte{}, beats: map[valuePlace]*FleetServer{}}
}

// Name implements store.Fleet.
func (v *values) Name() string { return FleetName }

// Gone implements store.Fleet.
func (v *values) Gone(server string) bool { return v.fleet.server(server) == nil }

// Load implements store.Fleet.
func (v *values) Load(set string) ([]store.Value, []store.Change, error) {
	n := store.News{Set: set, Whole: true}
	for _, key := range slices.Sorted(maps.Keys(v.sets[set])) {
		if value := v.sets[set][key]; value.Data != nil {
			n.Values = append(n.Values, value)
		}
	}
	v.news = append(v.news, n)
	return nil, nil, nil
}

// Commit implements store.Fleet.
func (v *values) Commit(set string, changes []store.Change) uint64 {
	v.number++
	v.queue = append(v.queue, valueBatch{v.number, set, slices.Clone(changes), v.fails})
	v.fails = ""
	return v.number
}

// News implements store.Fleet.
func (v *values) News() []store.News {
	queue := v.queue
	v.queue = nil
	for _, b := range queue {
		ended := v.land(b)
		v.news = append(v.news, store.News{Set: b.set, Outcome: ended})
	}
	news := v.news
	v.news = nil
	return news
}

// land writes a batch of the server of the test, or refuses it.
func (v *values) land(b valueBatch) *store.Ended {
	for _, c := range b.changes {
		v.beat(valuePlace{b.set, c.Key})
	}
	o := &store.Ended{Batch: b.number, Err: b.fails}
	for _, c := range b.changes {
		now := v.sets[b.set][c.Key]
		if now.Rev != c.Base && (c.Base != 0 || now.Data != nil) {
			o.Err, o.Conflict = "another server has changed the value", true
		}
	}
	if o.Err != "" {
		return o
	}
	for _, c := range b.changes {
		o.Revs = append(o.Revs, v.write(b.set, c.Key, c.Data, FleetName))
	}
	return o
}

// beat puts the value that comes just before a change of its key, if there is one.
func (v *values) beat(at valuePlace) {
	by, is := v.beats[at]
	if holder := v.holder(at); is && (holder == "" || holder == by.Name) {
		v.write(at.set, at.key, store.Claimed(holder, v.first[at]), by.Name)
	}
	delete(v.beats, at)
	delete(v.first, at)
}

// write writes the data of a key, and returns its revision.
func (v *values) write(set, key string, data []byte, owner string) uint64 {
	v.rev++
	value := store.Value{Key: key, Data: data, Rev: v.rev, Owner: owner}
	if v.sets[set] == nil {
		v.sets[set] = map[string]store.Value{}
	}
	v.sets[set][key] = value
	v.news = append(v.news, store.News{Set: set, Values: []store.Value{value}})
	return v.rev
}

// read returns the holder and the value of a key; a server that is gone holds nothing.
func (v *values) read(at valuePlace) (holder string, value []byte) {
	data := v.sets[at.set][at.key].Data
	if data == nil {
		return "", nil
	}
	holder, value, _ = store.ParseData(data)
	if holder != FleetName && v.Gone(holder) {
		holder = ""
	}
	return holder, value
}

func (v *values) holder(at valuePlace) string {
	holder, _ := v.read(at)
	return holder
}

// valueRows are the functions of test files for the values that a server shares with the tested
// mod.
func valueRows() []bind.Row {
	return []bind.Row{
		bind.Def("TestServer:get", "key: string -> any", vm.Server, "Returns what the fleet has of a shared value of the tested mod. A put of the mod is there two ticks later.", getAsServer),
		bind.Def("TestServer:put", "key: string, value: any -> boolean, string?", vm.Server, "Puts a shared value of the tested mod, at once: changes that the mod has made to the key in this tick come too late. Returns false and the reason if the mod has claimed the key.", putAsServer),
		bind.Def("TestServer:beat", "key: string, value: any", vm.Server, "Puts a value just before the next change that the tested mod makes to the key, so that this change is refused. It does nothing if the mod has claimed the key.", beatAsServer),
		bind.Def("TestServer:claim", "key: string -> boolean, string?", vm.Server, "Claims a key, as shared:claim does. Returns false and the name of the holder if another server has it.", claimAsServer),
		bind.Def("TestServer:release", "key: string", vm.Server, "Ends its claim to a key.", releaseAsServer),
	}
}

// placeArg returns argument 2, the key of a shared value of the tested mod.
func placeArg(a bind.Call) valuePlace {
	key := a.String(2)
	if len(key) < 1 || len(key) > store.MaxKey {
		a.Fail("a key must have 1 to %d bytes, not %d", store.MaxKey, len(key))
	}
	return valuePlace{store.SharedSet(testsOf(a).mod.Name), key}
}

// valueArg returns argument 3 as it is stored; nil for nil.
func valueArg(a bind.Call) []byte {
	if !a.Has(3) || a.Get(3) == lua.LNil {
		return nil
	}
	b, err := store.Encode(a.Get(3))
	a.Check(err)
	return b
}

func getAsServer(a bind.Call) int {
	livingArg(a)
	_, value := testsOf(a).stage.Fleet().values.read(placeArg(a))
	got, err := testsOf(a).decode(value)
	a.Check(err)
	return a.Return(got)
}

func putAsServer(a bind.Call) int {
	s, at, v := livingArg(a), placeArg(a), testsOf(a).stage.Fleet().values
	holder := v.holder(at)
	if holder != "" && holder != s.Name {
		return a.Return(lua.LFalse, lua.LString("claimed by "+holder))
	}
	v.write(at.set, at.key, store.Claimed(holder, valueArg(a)), s.Name)
	return a.Return(lua.LTrue)
}

func beatAsServer(a bind.Call) int {
	s, at, v := livingArg(a), placeArg(a), testsOf(a).stage.Fleet().values
	v.first[at], v.beats[at] = valueArg(a), s
	return 0
}

func claimAsServer(a bind.Call) int {
	s, at, v := livingArg(a), placeArg(a), testsOf(a).stage.Fleet().values
	holder, value := v.read(at)
	if holder != "" && holder != s.Name {
		return a.Return(lua.LFalse, lua.LString(holder))
	}
	v.write(at.set, at.key, store.Claimed(s.Name, value), s.Name)
	return a.Return(lua.LTrue, lua.LString(s.Name))
}

func releaseAsServer(a bind.Call) int {
	s, at, v := livingArg(a), placeArg(a), testsOf(a).stage.Fleet().values
	if holder, value := v.read(at); holder == s.Name {
		v.write(at.set, at.key, value, s.Name)
	}
	return 0
}
