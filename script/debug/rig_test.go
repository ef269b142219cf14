package debug

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// rig is a runtime with a mod "m" and a client that debugs it. At each stop the client runs the
// next of its plans; without one it goes on.
type rig struct {
	t       testing.TB
	runtime *vm.Runtime
	mod     *vm.Mod
	session *Session
	files   fstest.MapFS
	got     []dap.Message
	plans   []func()
	seq     int
	printed []string
	now     time.Duration // simulation time
}

// debug loads server/init.lua as the mod m, and attaches a client.
func debug(t *testing.T, source string) *rig {
	r := load(t, source)
	r.attach()
	return r
}

func load(t testing.TB, source string) *rig {
	r := &rig{t: t, files: fstest.MapFS{"server/init.lua": {Data: []byte(strings.TrimPrefix(source, "\n"))}}}
	r.runtime = vm.New(vm.Config{Side: vm.Server, Now: func() time.Duration { return r.now }})
	r.runtime.Install(vm.Lib{Name: "Test", Funcs: []vm.Func{{Name: "note", Params: "text: any", Realm: vm.Both, Doc: "Notes a value.", Fn: func(a vm.Args) int {
		r.printed = append(r.printed, a.Mod.State.Text(a.L, a.Any(1)))
		return 0
	}}}})
	r.mod = r.runtime.NewMod("m", r.files)
	require.NoError(t, r.mod.RunFile("server/init.lua"))
	return r
}

func (r *rig) attach() {
	var err error
	r.session, err = Attach(Config{
		Runtime: r.runtime, Mod: "m", Stand: r.stand,
		Send: func(text []byte) {
			m, err := dap.DecodeProtocolMessage(text)
			require.NoError(r.t, err, "%s", text)
			r.got = append(r.got, m)
		},
	})
	require.NoError(r.t, err)
}

func (r *rig) stand() {
	for !r.session.Running() {
		if len(r.plans) == 0 {
			r.ask("continue", nil)
			continue
		}
		plan := r.plans[0]
		r.plans = r.plans[1:]
		plan()
	}
}

// ask sends a request and returns the answer.
func (r *rig) ask(command string, arguments any) dap.Message {
	r.t.Helper()
	r.seq++
	text, err := json.Marshal(map[string]any{"seq": r.seq, "type": "request", "command": command, "arguments": arguments})
	require.NoError(r.t, err)
	require.NoError(r.t, r.session.Handle(text))
	for i := len(r.got) - 1; i >= 0; i-- {
		if a, ok := r.got[i].(dap.ResponseMessage); ok {
			require.Equal(r.t, r.seq, a.GetResponse().RequestSeq)
			return r.got[i]
		}
	}
	return nil
}

// breakAt sets breakpoints in server/init.lua, and returns what the session says of them.
func (r *rig) breakAt(at ...dap.SourceBreakpoint) []dap.Breakpoint {
	r.t.Helper()
	a := r.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: "/home/ann/mods/m/server/init.lua"}, Breakpoints: at})
	require.IsType(r.t, &dap.SetBreakpointsResponse{}, a)
	return a.(*dap.SetBreakpointsResponse).Body.Breakpoints
}

// call runs a global function of the mod as an event.
func (r *rig) call(name string, args ...lua.LValue) ([]lua.LValue, error) {
	return r.runtime.EnterCallback(name, r.mod, r.mod.Global(name).(*lua.LFunction), args)
}

// run is call for functions that must not fail.
func (r *rig) run(name string, args ...lua.LValue) []lua.LValue {
	r.t.Helper()
	out, err := r.call(name, args...)
	require.NoError(r.t, err)
	return out
}

// stops returns the reasons and the lines of the stops so far, and forgets them.
func (r *rig) stops() string {
	var list []string
	for _, m := range r.got {
		switch m := m.(type) {
		case *dap.StoppedEvent:
			list = append(list, m.Body.Reason)
		case *dap.StackTraceResponse:
			list[len(list)-1] += fmt.Sprint(" ", m.Body.StackFrames[0].Line)
		}
	}
	r.got = nil
	return strings.Join(list, ", ")
}

// outputs returns what the session has printed.
func (r *rig) outputs() (list []string) {
	for _, m := range r.got {
		if o, ok := m.(*dap.OutputEvent); ok {
			list = append(list, o.Body.Output)
		}
	}
	return list
}

// goes plans requests, one at each stop, after a look at the stack.
func (r *rig) goes(commands ...string) {
	for _, c := range commands {
		r.plans = append(r.plans, func() {
			r.ask("stackTrace", dap.StackTraceArguments{ThreadId: 1})
			r.ask(c, map[string]int{"threadId": 1})
		})
	}
}

// stack returns the stack of the stop, innermost first: "f:3 g:7".
func (r *rig) stack() string {
	var list []string
	for _, f := range r.ask("stackTrace", dap.StackTraceArguments{ThreadId: 1}).(*dap.StackTraceResponse).Body.StackFrames {
		list = append(list, fmt.Sprintf("%s:%d", f.Name, f.Line))
	}
	return strings.Join(list, " ")
}

// scope returns a scope of a frame: "a=1 b=table (2)".
func (r *rig) scope(frame int, name string) string {
	for _, s := range r.ask("scopes", dap.ScopesArguments{FrameId: frame}).(*dap.ScopesResponse).Body.Scopes {
		if s.Name == name {
			return r.expand(s.VariablesReference)
		}
	}
	return "no scope " + name
}

func (r *rig) expand(number int) string {
	var list []string
	for _, v := range r.variables(number) {
		list = append(list, v.Name+"="+v.Value)
	}
	return strings.Join(list, " ")
}

func (r *rig) variables(number int) []dap.Variable {
	return r.ask("variables", dap.VariablesArguments{VariablesReference: number}).(*dap.VariablesResponse).Body.Variables
}

// eval evaluates in a frame.
func (r *rig) eval(frame int, expression string) string {
	switch a := r.ask("evaluate", dap.EvaluateArguments{Expression: expression, FrameId: frame}).(type) {
	case *dap.EvaluateResponse:
		return a.Body.Result
	case *dap.ErrorResponse:
		return "error: " + a.Message
	}
	return "?"
}
