package messages

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/vm"
)

// rig is a Set with mods, and a Carrier that notes what it carries. The fleet has the server arena.
type rig struct {
	t      *testing.T
	set    *Set
	run    *vm.Runtime
	mod    *vm.Mod
	now    time.Duration
	said   []string // by the mods
	sent   []string // to other servers
	warned []string
	faults []string
}

// owner is what a mod of a rig has.
type owner struct {
	*rig
	values *bind.Binding
}

func (o *owner) Messages() *Set                                     { return o.set }
func (o *owner) Values() *bind.Binding                              { return o.values }
func (*owner) Property(string) func(*engine.Connection) lua.LValue  { return nil }
func (*owner) Callback(sim.Object, string) *lua.LFunction           { return nil }
func (*owner) SetCallback(_ sim.Object, _ string, _ *lua.LFunction) {}
func (r *rig) Reaches(server string) error {
	if server != "arena" {
		return fmt.Errorf("there is no server %q", server)
	}
	return nil
}
func (r *rig) note(format string, args ...any) { r.sent = append(r.sent, fmt.Sprintf(format, args...)) }
func (r *rig) Send(to string, n Note) {
	r.note("send %q %s %s %s", to, n.Mod, n.Topic, r.text(n.Value))
}
func (r *rig) Ask(to string, number uint64, n Note) {
	r.note("ask %s %d %s %s %s", to, number, n.Mod, n.Topic, r.text(n.Value))
}
func (r *rig) Answer(to string, number uint64, value []byte, why string) {
	r.note("answer %s %d %s %s", to, number, r.text(value), why)
}

// text prints an encoded value.
func (r *rig) text(value []byte) string {
	if len(value) == 0 {
		return "nil"
	}
	v, err := store.Decode(bind.Of(r.mod), value)
	require.NoError(r.t, err)
	return bind.NewPrinter().Line(v)
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t}
	r.run = vm.New(vm.Config{
		Side: vm.Server, Now: func() time.Duration { return r.now },
		OnModCreated: func(m *vm.Mod) {
			o := &owner{rig: r}
			m.Binding = o
			o.values = bind.New(&bind.Env{MaxTags: 1000}, m, o)
		},
		Log: func(level slog.Level, msg string, args ...any) {
			if level == slog.LevelWarn {
				r.warned = append(r.warned, strings.TrimSpace(fmt.Sprint(msg, " ", args)))
			}
		},
		Fault: func(f *vm.Fault) {
			r.faults = append(r.faults, fmt.Sprintf("%s %s:%d %s", f.Mod, f.File, f.Line, f.Text))
		},
	})
	r.run.Install(Lib(), bind.VecLib(), bind.TagsLib(), vm.Lib{Name: "test", Funcs: []vm.Func{{Name: "say", Params: "...: any", Fn: func(a vm.Args) int {
		var words []string
		for i := range a.N() {
			words = append(words, bind.NewPrinter().Line(a.Get(i+1)))
		}
		r.said = append(r.said, strings.Join(words, " "))
		return 0
	}}}})
	r.set = New(Config{Runtime: r.run, Carrier: r, Connected: func(p vm.Peer) vm.Peer { return p }})
	r.mod = r.run.NewMod("m", nil)
	return r
}

// lua runs code in the mod m, and returns its error.
func (r *rig) lua(code string) error {
	r.t.Helper()
	fn, err := r.mod.Compile("m.lua", code, false)
	require.NoError(r.t, err)
	_, err = r.run.EnterWith(r.run.Limits().Load, r.mod, fn)
	return err
}

// must is lua without an error.
func (r *rig) must(code string) { r.t.Helper(); require.NoError(r.t, r.lua(code)) }

// tick runs a tick. It returns what the mods have said, and what was sent.
func (r *rig) tick() (said, sent []string) {
	r.now += 32 * time.Millisecond
	r.run.BeginTick()
	r.set.Begin()
	r.set.Flush()
	said, sent = r.said, r.sent
	r.said, r.sent = nil, nil
	return said, sent
}

// ticks runs ticks until a time has passed, and returns what the mods have said.
func (r *rig) ticks(d time.Duration) (said []string) {
	for end := r.now + d; r.now < end; {
		now, _ := r.tick()
		said = append(said, now...)
	}
	return said
}

// value encodes a Lua expression.
func (r *rig) value(code string) []byte {
	r.t.Helper()
	fn, err := r.mod.Compile("v", "return "+code, true)
	require.NoError(r.t, err)
	out, err := r.run.EnterWith(r.run.Limits().Load, r.mod, fn)
	require.NoError(r.t, err)
	b, err := store.Encode(out[0])
	require.NoError(r.t, err)
	return b
}

// from is a message of a server to the mod m.
func (r *rig) from(server, topic string, value []byte) Incoming {
	return Incoming{From: server, Note: Note{Mod: "m", Topic: topic, Value: value}}
}

// count returns how many lines are a text.
func count(lines []string, text string) (n int) {
	for _, line := range lines {
		if line == text {
			n++
		}
	}
	return n
}
