//go:build !js

package node

import (
	"context"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/attach"
	"github.com/torc-engine/torc/node/remote"
)

// A debugRig is a server with the mod m and a client in the game. Debuggers reach it over its
// socket.
type debugRig struct {
	t      *testing.T
	server *Server
	client *Client
	ended  chan error
}

const debuggedMod = `count = 0
function onTick()
  count = count + 1
end
function GameConnection.onConnectRequest(client)
  if client.name == "Late" then
    count = 0
  end
end`

func newDebugRig(t *testing.T) *debugRig {
	folder := fstest.MapFS{
		"m/mod.toml":        {Data: []byte("name = 'm'\nversion = '1.0.0'\ndepends = ['base']\n")},
		"m/server/init.lua": {Data: []byte(debuggedMod)},
	}
	r := &debugRig{t: t, ended: make(chan error, 1)}
	var err error
	r.server, err = NewServer(Config{
		Common: Common{Data: t.TempDir(), Mods: []fs.FS{folder}},
		Server: ServerConfig{Listen: "127.0.0.1:0", Load: []string{"m"}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.server.Close() })
	r.attached().SetSilence(time.Hour)
	require.NoError(t, r.server.Start())
	go func() { r.ended <- r.server.Run(context.Background()) }()
	r.client = r.join("Ann")
	return r
}

// attached returns the service that has the debugger.
func (r *debugRig) attached() *attach.Service {
	for _, s := range r.server.services {
		if a, ok := s.(*attach.Service); ok {
			return a
		}
	}
	panic("the server has no debugger")
}

func (r *debugRig) join(name string) *Client {
	c, err := NewClient(Config{Common: Common{Name: name}, Client: ClientConfig{Address: r.server.Address()}})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = c.Close() })
	go func() { _ = c.Run(context.Background()) }()
	r.until(c, "the client is in the game", c.Ready)
	return c
}

// until waits until yes returns true on the goroutine of the client.
func (r *debugRig) until(c *Client, what string, yes func() bool) {
	r.t.Helper()
	for limit := testenv.Limit(r.t); ; testenv.Pause() {
		var is bool
		require.NoError(r.t, c.Do(func() { is = yes() }), what)
		if is {
			return
		}
		require.False(r.t, testenv.Expired(limit), what)
	}
}

// A debugClient is a debugger of the mod m.
type debugClient struct {
	*remote.Debugger
	t     *testing.T
	seq   int
	stops []string // the reasons of stops that came before an answer
}

func (r *debugRig) dial() *remote.Link {
	l, err := remote.Dial(filepath.Join(r.server.core.Home.Path(remote.Socket)))
	require.NoError(r.t, err)
	return l
}

func (r *debugRig) attach() *debugClient {
	d, err := r.dial().Debug("m", func(string) {})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = d.Close() })
	return &debugClient{Debugger: d, t: r.t}
}

// ask sends a request and returns its answer.
func (c *debugClient) ask(command string, arguments any) dap.Message {
	c.t.Helper()
	c.seq++
	text, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments})
	require.NoError(c.t, err)
	c.Send(text)
	return c.next(func(m dap.Message) bool {
		a, ok := m.(dap.ResponseMessage)
		return ok && a.GetResponse().RequestSeq == c.seq
	})
}

// next returns the next message of a kind.
func (c *debugClient) next(is func(dap.Message) bool) dap.Message {
	c.t.Helper()
	for text := range c.Messages() {
		m, err := dap.DecodeProtocolMessage(text)
		require.NoError(c.t, err, "%s", text)
		if is(m) {
			return m
		}
		if s, ok := m.(*dap.StoppedEvent); ok {
			c.stops = append(c.stops, s.Body.Reason)
		}
	}
	require.FailNow(c.t, "the connection ended", "%v", c.Err())
	return nil
}

// stopped waits for a stop.
func (c *debugClient) stopped() string {
	if len(c.stops) > 0 {
		why := c.stops[0]
		c.stops = c.stops[1:]
		return why
	}
	return c.next(func(m dap.Message) bool { _, ok := m.(*dap.StoppedEvent); return ok }).(*dap.StoppedEvent).Body.Reason
}

func (c *debugClient) breakAt(line int) {
	a := c.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: "/home/ann/mods/m/server/init.lua"}, Breakpoints: []dap.SourceBreakpoint{{Line: line}}})
	require.True(c.t, a.(*dap.SetBreakpointsResponse).Body.Breakpoints[0].Verified)
}

func (c *debugClient) eval(expression string) string {
	return c.ask("evaluate", dap.EvaluateArguments{Expression: expression}).(*dap.EvaluateResponse).Body.Result
}

// free checks that the server runs and has no debugger any more.
func (r *debugRig) free() {
	r.t.Helper()
	require.NoError(r.t, r.server.Do(func() {}))
	r.until(r.client, "the game goes on", func() bool { return !r.client.Host().Pace.Paused() })
	for limit := testenv.Limit(r.t); ; testenv.Pause() {
		l := r.dial()
		d, err := l.Debug("m", func(string) {})
		if err == nil {
			require.NoError(r.t, d.Close())
			return
		}
		require.NoError(r.t, l.Close())
		require.False(r.t, testenv.Expired(limit), "%v", err)
	}
}

// TestObjectsInTheDebugger shows objects by class, number and name, and expands them: fields, own
// and the members of groups.
func TestObjectsInTheDebugger(t *testing.T) {
	t.Parallel()
	r := newDebugRig(t)
	c := r.attach()
	c.ask("initialize", dap.InitializeRequestArguments{AdapterID: "torc"})
	c.ask("attach", map[string]string{"mod": "m"})
	c.breakAt(3)
	require.Equal(t, "breakpoint", c.stopped())
	c.ask("stackTrace", dap.StackTraceArguments{ThreadId: 1})
	expand := func(expression, member string) string {
		a := c.ask("evaluate", dap.EvaluateArguments{Expression: expression, FrameId: 1}).(*dap.EvaluateResponse)
		if a.Body.VariablesReference == 0 {
			return a.Body.Result
		}
		for _, v := range c.ask("variables", dap.VariablesArguments{VariablesReference: a.Body.VariablesReference}).(*dap.VariablesResponse).Body.Variables {
			if v.Name == member {
				assert.Equal(t, v.Value, c.ask("evaluate", dap.EvaluateArguments{Expression: v.EvaluateName, FrameId: 1}).(*dap.EvaluateResponse).Body.Result, v.EvaluateName)
				return a.Body.Result + ", " + v.Value
			}
		}
		return a.Body.Result
	}
	player := c.eval("clientGroup:at(1).id")
	assert.Equal(t, "GameConnection "+player+` "Ann", "Ann"`, expand("clientGroup:at(1)", "name"))
	assert.Regexp(t, `^SimGroup \d+ "ClientGroup", GameConnection `+player+` "Ann"$`, expand("clientGroup", "[1]"))
	assert.Equal(t, "GameConnection "+player+` "Ann"`, expand("clientGroup:at(1)", "own"), "the debugger does not make the table")
	c.eval("clientGroup:at(1).own.score == nil")
	assert.Equal(t, "GameConnection "+player+` "Ann", table (0)`, expand("clientGroup:at(1)", "own"))
	assert.Regexp(t, `^Box \d+, vec\(1, 2, 3\)$`, expand(`new "Box" { position = vec(1, 2, 3) }`, "position"))
	assert.Equal(t, "vec(1, 2, 3), 2", expand("vec(1, 2, 3)", "y"))
	assert.Equal(t, "rot(90, 0, 0), 90", expand("rot(90)", "yaw"))
	c.ask("continue", nil)
}

// TestServerStandsStill stops a server in the middle of a tick. Its client stays and is told,
// nothing else runs, and there can be no second debugger. Then the server goes on.
func TestServerStandsStill(t *testing.T) {
	t.Parallel()
	r := newDebugRig(t)
	c := r.attach()
	c.ask("initialize", dap.InitializeRequestArguments{AdapterID: "torc"})
	c.ask("attach", map[string]string{"mod": "m"})
	c.breakAt(3)
	require.Equal(t, "breakpoint", c.stopped())
	r.until(r.client, "the client is told", r.client.Host().Pace.Paused)
	done := make(chan error)
	go func() { done <- r.server.Do(func() {}) }()
	_, err := r.dial().Debug("m", func(string) {})
	assert.EqualError(t, err, "a debugger is attached already, to the mod m: there can be one")
	before := c.eval("count")
	assert.Equal(t, before, c.eval("count"), "the tick stands still")
	select {
	case <-done:
		assert.Fail(t, "a function ran while the server stood still")
	default:
	}
	for range 3 {
		c.ask("continue", map[string]int{"threadId": 1})
		require.Equal(t, "breakpoint", c.stopped())
		assert.NotEqual(t, before, c.eval("count"))
		before = c.eval("count")
	}
	c.ask("next", map[string]int{"threadId": 1})
	require.Equal(t, "step", c.stopped())
	c.ask("disconnect", nil)
	require.NoError(t, <-done)
	r.free()
}

// TestJoinStandsStill stops a server while it decides on a join. The player joins afterwards.
func TestJoinStandsStill(t *testing.T) {
	t.Parallel()
	r := newDebugRig(t)
	c := r.attach()
	c.breakAt(7)
	late := make(chan *Client)
	go func() { late <- r.join("Late") }()
	require.Equal(t, "breakpoint", c.stopped())
	r.until(r.client, "the client is told", r.client.Host().Pace.Paused)
	c.ask("continue", map[string]int{"threadId": 1})
	(<-late).Close()
	assert.NoError(t, c.Close())
	r.free()
}

// TestDebuggerDies ends the connection of a debugger while the server stands still.
func TestDebuggerDies(t *testing.T) {
	t.Parallel()
	r := newDebugRig(t)
	c := r.attach()
	c.breakAt(3)
	require.Equal(t, "breakpoint", c.stopped())
	require.NoError(t, c.Close())
	r.free()
}

// TestSilentDebugger stops for a debugger that gives no sign of life.
func TestSilentDebugger(t *testing.T) {
	t.Parallel()
	r := newDebugRig(t)
	c := r.attach()
	require.NoError(t, r.server.Do(func() { r.attached().SetSilence(-1) }))
	c.breakAt(3)
	require.Equal(t, "breakpoint", c.stopped())
	r.free()
}

// TestServerEndsWhileItStandsStill closes a server that stands still.
func TestServerEndsWhileItStandsStill(t *testing.T) {
	t.Parallel()
	r := newDebugRig(t)
	c := r.attach()
	c.breakAt(3)
	require.Equal(t, "breakpoint", c.stopped())
	require.NoError(t, r.server.Close())
	assert.NoError(t, <-r.ended)
	for range c.Messages() {
	}
	assert.ErrorIs(t, c.Err(), remote.ErrEnded)
}

func TestNoSuchModToDebug(t *testing.T) {
	t.Parallel()
	r := newDebugRig(t)
	l := r.dial()
	_, err := l.Debug("none", func(string) {})
	assert.EqualError(t, err, "the mod none is not loaded")
	require.NoError(t, l.Close())
	var log string
	require.NoError(t, r.server.Do(func() { log = r.server.admin.Audit.String(10) }))
	assert.Contains(t, log, "mod debug none")
}
