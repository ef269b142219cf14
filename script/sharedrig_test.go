package script_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/store"
)

// A sharedFleet is a fleet in memory. Orders and news wait until the test lets them pass.
type sharedFleet struct {
	rev     uint64
	sets    map[string]map[string]store.Value // with deleted keys
	members []*sharedMember
	wrote   func(set string, before, now store.Value) // sees each write; nil: nobody
}

func newSharedFleet() *sharedFleet {
	return &sharedFleet{sets: map[string]map[string]store.Value{}}
}

// A sharedMember is a server of a sharedFleet. It implements store.Fleet.
type sharedMember struct {
	world   *sharedFleet
	name    string
	cut     bool // it has no line: orders and news wait
	deaf    bool // news of values wait, but outcomes come
	follows []string
	queue   []memberBatch
	number  uint64
	inbox   []store.News
	waiting []store.News // while it is deaf
	results map[string]uint64
	failed  map[string]bool
	gone    map[string]bool // servers whose claims have ended
	values  map[string][]store.Value
	unsent  map[string][]store.Change
	broken  error
	sizes   []int // changes of each batch
	part    int   // of how many values it hears in a tick, when it reads all; 0: of all
}

type memberBatch struct {
	number  uint64
	set     string
	changes []store.Change
	landed  *store.Ended // it has happened, and the answer is lost
}

func (f *sharedFleet) join(name string) *sharedMember {
	m := &sharedMember{
		world: f, name: name, results: map[string]uint64{}, failed: map[string]bool{}, gone: map[string]bool{},
		values: map[string][]store.Value{}, unsent: map[string][]store.Change{},
	}
	f.members = append(f.members, m)
	return m
}

func (m *sharedMember) Name() string            { return m.name }
func (m *sharedMember) Gone(server string) bool { return m.gone[server] }

func (m *sharedMember) Load(set string) ([]store.Value, []store.Change, error) {
	if !slices.Contains(m.follows, set) {
		m.follows = append(m.follows, set)
	}
	if !m.cut {
		m.whole(set, false)
	}
	return m.values[set], m.unsent[set], m.broken
}

func (m *sharedMember) Commit(set string, changes []store.Change) uint64 {
	m.number++
	m.sizes = append(m.sizes, len(changes))
	m.queue = append(m.queue, memberBatch{number: m.number, set: set, changes: slices.Clone(changes)})
	return m.number
}

func (m *sharedMember) News() []store.News {
	news := m.inbox
	if i := slices.IndexFunc(news, func(n store.News) bool { return n.Part }); i >= 0 {
		m.inbox = news[i+1:]
		return news[:i+1]
	}
	m.inbox = nil
	return news
}

// whole tells all values of a set.
func (m *sharedMember) whole(set string, anew bool) {
	n := store.News{Set: set, Whole: true, Anew: anew}
	for _, key := range slices.Sorted(maps.Keys(m.world.sets[set])) {
		if v := m.world.sets[set][key]; v.Data != nil {
			n.Values = append(n.Values, v)
		}
	}
	for m.part > 0 && len(n.Values) > m.part {
		m.inbox = append(m.inbox, store.News{Set: set, Part: true, Anew: anew, Values: n.Values[:m.part]})
		n.Values = n.Values[m.part:]
	}
	m.inbox = append(m.inbox, n)
}

// step lets all orders of the servers with a line pass.
func (f *sharedFleet) step() {
	for _, m := range f.members {
		for !m.cut && len(m.queue) > 0 {
			b := m.queue[0]
			m.queue = m.queue[1:]
			ended := b.landed
			if ended == nil {
				ended = f.commit(m, b)
			}
			m.inbox = append(m.inbox, store.News{Set: b.set, Outcome: ended})
		}
	}
}

func (f *sharedFleet) commit(m *sharedMember, b memberBatch) *store.Ended {
	o := &store.Ended{Batch: b.number}
	for _, c := range b.changes {
		now, base := f.sets[b.set][c.Key], c.Base
		if c.Chained {
			base = m.results[b.set+c.Key]
		}
		if c.Chained && m.failed[b.set+c.Key] || now.Rev != base && (base != 0 || now.Data != nil) {
			o.Conflict = true
		}
	}
	for _, c := range b.changes {
		if m.failed[b.set+c.Key] = o.Conflict; o.Conflict {
			continue
		}
		f.rev++
		v := store.Value{Key: c.Key, Data: c.Data, Rev: f.rev, Owner: m.name}
		m.results[b.set+c.Key] = f.rev
		o.Revs = append(o.Revs, f.rev)
		f.write(b.set, v)
	}
	return o
}

// write writes a value, and tells all who follow its set.
func (f *sharedFleet) write(set string, v store.Value) {
	if f.sets[set] == nil {
		f.sets[set] = map[string]store.Value{}
	}
	if f.wrote != nil {
		f.wrote(set, f.sets[set][v.Key], v)
	}
	f.sets[set][v.Key] = v
	for _, m := range f.members {
		if !slices.Contains(m.follows, set) || m.cut {
			continue
		}
		news := store.News{Set: set, Values: []store.Value{v}}
		if m.deaf {
			m.waiting = append(m.waiting, news)
		} else {
			m.inbox = append(m.inbox, news)
		}
	}
}

// foreign writes a value as a server does that is not in the test.
func (f *sharedFleet) foreign(set, key string, data []byte) {
	if f.rev++; data != nil && !store.Sound(data) {
		data = []byte{}
	}
	f.write(set, store.Value{Key: key, Data: data, Rev: f.rev, Owner: "stranger"})
}

// heal gives a server its line back: it loads everything.
func (m *sharedMember) heal() {
	m.cut = false
	for _, set := range m.follows {
		m.whole(set, false)
	}
}

// hear lets the news pass that have waited.
func (m *sharedMember) hear() {
	m.deaf = false
	m.inbox = append(m.inbox, m.waiting...)
	m.waiting = nil
}

// die forgets a server. Its newest batch can still arrive.
func (m *sharedMember) die() {
	m.world.members = slices.DeleteFunc(m.world.members, func(o *sharedMember) bool { return o == m })
}

// sharing makes a server of a fleet with the mod m of shopFiles, for the global shared.
func sharing(t testing.TB, m *sharedMember, more string) *half {
	text := strings.ReplaceAll(sharedShop, "STORE", "shared")
	return sharingOf(t, m, text+more).load("m")
}

func sharingOf(t testing.TB, m *sharedMember, code string) *half {
	n := uint16(10 + len(m.world.members))
	return newHalfWith(t, n, true, nil, func(s *script.Setup) { s.Shared = m }, files(map[string]string{"m/server/init.lua": code}))
}

const sharedShop = `
	said = {}
	function note(what) return function(ok, err) said[#said + 1] = what .. " " .. tostring(ok) .. (err and " " .. tostring(err) or "") end end
	function put(k, v) STORE:put(k, v, note(k)) end
	function have() local t = {} for k, v in STORE:each() do t[#t + 1] = k .. "=" .. tostring(v) end return table.concat(t, " ") end
	function heard() local s = table.concat(said, "; ") said = {} return s end
	function onShared(k, v) said[#said + 1] = "onShared " .. k .. " " .. tostring(v) end
	function add(k) return function(old) return (old or 0) + 1 end end
	export("run", function(code) return eval(code) end)
`

// rounds lets servers tick, and orders pass between the ticks.
func (f *sharedFleet) rounds(n int, servers ...*half) {
	for range n {
		for _, h := range servers {
			h.ticks(1)
		}
		f.step()
	}
}

// is requires that code of the mod returns a text.
func (h *half) is(want, code string, about ...any) {
	h.t.Helper()
	require.Equal(h.t, strconv.Quote(want), h.in("return "+code), about...)
}

// two makes two servers of a fleet.
func two(t testing.TB, more string) (f *sharedFleet, a, b *half) {
	f = newSharedFleet()
	a, b = sharing(t, f.join("arena-1"), more), sharing(t, f.join("arena-2"), more)
	f.rounds(1, a, b)
	return f, a, b
}

// number reads a number of the mod.
func (h *half) number(code string) int {
	n, err := strconv.Atoi(h.in("return " + code))
	require.NoError(h.t, err, code)
	return n
}
