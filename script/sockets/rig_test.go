package sockets

import (
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/vm"
)

// rig is a Set with mods and a network that records its requests.
type rig struct {
	t       *testing.T
	set     *Set
	run     *vm.Runtime
	mod     *vm.Mod
	calls   []string
	events  []Event
	log     []string
	granted []string // permissions of all mods
	revoked bool
}

func (r *rig) Sockets() *Set { return r.set }

func (r *rig) note(format string, args ...any) {
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
}

func (r *rig) HTTP(id ID, q HTTPRequest) {
	r.note("http %d %s %s %s %v", id, q.Method, q.URL, q.Body, q.Header)
}
func (r *rig) Connect(id ID, to Target) {
	r.note("connect %d %s %d %v", id, to.Host, to.Port, to.Allow)
}
func (r *rig) Listen(id ID, at netip.AddrPort) { r.note("listen %d %s", id, at) }
func (r *rig) Send(id ID, data []byte)         { r.note("send %d %q", id, data) }
func (r *rig) Credit(id ID, n int)             { r.note("credit %d %d", id, n) }
func (r *rig) Close(id ID, now bool)           { r.note("close %d %v", id, now) }
func (r *rig) Events() []Event {
	list := r.events
	r.events = nil
	return list
}

// newRig returns a Set with a mod m that has some permissions.
func newRig(t *testing.T, granted ...string) *rig {
	r := &rig{t: t, granted: granted}
	r.run = vm.New(vm.Config{
		Side: vm.Server, OnModCreated: func(m *vm.Mod) { m.Binding = r },
		Log: func(_ slog.Level, msg string, args ...any) { r.log = append(r.log, msg) },
	})
	r.run.Install(Lib(), vm.Lib{Name: "test", Funcs: []vm.Func{{Name: "say", Params: "...: any", Fn: func(a vm.Args) int {
		var words []string
		for i := range a.N() {
			words = append(words, a.Mod.State.Text(a.L, a.Get(i+1)))
		}
		r.note("%s", strings.Join(words, " "))
		return 0
	}}}})
	r.set = New(Config{
		Runtime: r.run, Network: r, Connected: func(p vm.Peer) vm.Peer { return p },
		Permissions: func(*vm.Mod) []string { return r.granted },
		Permit: func(_ *vm.Mod, permission string) error {
			if r.revoked || !slices.Contains(r.granted, permission) {
				return fmt.Errorf("no permission %s", permission)
			}
			return nil
		},
	})
	r.mod = r.run.NewMod("m", nil)
	return r
}

// lua runs code in the mod m, and returns its error.
func (r *rig) lua(code string) error {
	r.t.Helper()
	fn, err := r.mod.Compile("m.lua", code, false)
	require.NoError(r.t, err)
	_, err = r.run.Enter(r.mod, fn)
	return err
}

// tick runs a tick with events, and returns the requests to the network and the output of the mod.
func (r *rig) tick(events ...Event) string {
	r.run.BeginTick()
	r.events = append(r.events, events...)
	r.set.Begin()
	r.set.Flush()
	calls := r.calls
	r.calls = nil
	return strings.Join(calls, "; ")
}

// do runs code in the mod and then a tick.
func (r *rig) do(code string, events ...Event) string {
	r.t.Helper()
	require.NoError(r.t, r.lua(code))
	return r.tick(events...)
}

// idle checks that nothing is left.
func (r *rig) idle() {
	r.t.Helper()
	assert.Empty(r.t, r.tick())
	assert.Empty(r.t, r.set.accounts)
	assert.Empty(r.t, r.set.owners)
	assert.Empty(r.t, r.log)
}
