package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// A dapClient is an editor that debugs the mod m with torc mod debug.
type dapClient struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Reader
	ended chan error
	seq   int
	stops []string // the reasons of stops that came before an answer
}

func debugMod(t *testing.T, data string) *dapClient {
	in, toTorc := io.Pipe()
	fromTorc, out := io.Pipe()
	c := &dapClient{t: t, in: toTorc, out: bufio.NewReader(fromTorc), ended: make(chan error, 1)}
	go func() {
		c.ended <- (&system{in: in, out: out}).modDebug(&config.Mod{Verb: "debug", Target: "m", Data: data})
		_ = out.Close()
	}()
	return c
}

// ask sends a request and returns its answer. It keeps the stops that come before.
func (c *dapClient) ask(command string, arguments any) dap.Message {
	c.t.Helper()
	c.seq++
	text, err := json.MarshalIndent(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments}, "", "  ")
	require.NoError(c.t, err)
	require.NoError(c.t, dap.WriteBaseMessage(c.in, text))
	return c.next(func(m dap.Message) bool {
		a, ok := m.(dap.ResponseMessage)
		return ok && a.GetResponse().RequestSeq == c.seq
	})
}

func (c *dapClient) next(is func(dap.Message) bool) dap.Message {
	c.t.Helper()
	for {
		m, err := dap.ReadProtocolMessage(c.out)
		require.NoError(c.t, err)
		if is(m) {
			return m
		}
		if s, ok := m.(*dap.StoppedEvent); ok {
			c.stops = append(c.stops, s.Body.Reason)
		}
	}
}

// stopped returns the reason of the next stop.
func (c *dapClient) stopped() string {
	if len(c.stops) == 0 {
		return c.next(func(m dap.Message) bool { _, ok := m.(*dap.StoppedEvent); return ok }).(*dap.StoppedEvent).Body.Reason
	}
	why := c.stops[0]
	c.stops = c.stops[1:]
	return why
}

// TestDebugSession plays a session of an editor with a mod on the disk.
func TestDebugSession(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	mods := mod(t, "m", map[string]string{
		"mod.toml": "name = 'm'\nversion = '1.0.0'\n", "server/init.lua": "local ticks = 0\nfunction onTick()\n  ticks = ticks + 1\nend\n",
	})
	file := filepath.Join(mods, "m", "server", "init.lua")
	server, _, _ := serveOn(t, "--data", dir, "--mods", mods, "--mod", "m")

	c := debugMod(t, dir)
	c.ask("initialize", dap.InitializeRequestArguments{AdapterID: "torc"})
	c.ask("attach", map[string]string{"mod": "m"})
	set := c.ask("setBreakpoints", dap.SetBreakpointsArguments{
		Source: dap.Source{Path: file}, Breakpoints: []dap.SourceBreakpoint{{Line: 3, Condition: "ticks >= 5"}},
	}).(*dap.SetBreakpointsResponse)
	assert.True(t, set.Body.Breakpoints[0].Verified)
	c.ask("configurationDone", nil)
	require.Equal(t, "breakpoint", c.stopped())
	frames := c.ask("stackTrace", dap.StackTraceArguments{ThreadId: 1}).(*dap.StackTraceResponse).Body.StackFrames
	require.Len(t, frames, 1)
	assert.Equal(t, file, frames[0].Source.Path)
	assert.Equal(t, 3, frames[0].Line)
	scopes := c.ask("scopes", dap.ScopesArguments{FrameId: frames[0].Id}).(*dap.ScopesResponse).Body.Scopes
	vars := c.ask("variables", dap.VariablesArguments{VariablesReference: scopes[1].VariablesReference}).(*dap.VariablesResponse).Body.Variables
	require.Len(t, vars, 1)
	assert.Equal(t, "ticks", vars[0].Name)
	value := c.ask("evaluate", dap.EvaluateArguments{Expression: "ticks * 2 >= 10", FrameId: frames[0].Id}).(*dap.EvaluateResponse)
	assert.Equal(t, "true", value.Body.Result)
	c.ask("next", map[string]int{"threadId": 1})
	require.Equal(t, "step", c.stopped())
	c.ask("continue", map[string]int{"threadId": 1})
	require.Equal(t, "breakpoint", c.stopped())
	require.NoError(t, c.in.Close())
	require.NoError(t, <-c.ended)

	server.say("1 + 1")
	server.expect("2")
	server.quits()
}

// TestDebugWithoutAServer checks that the editor gets the reason.
func TestDebugWithoutAServer(t *testing.T) {
	dir := shortDir(t)
	c := debugMod(t, dir)
	a, ok := c.ask("initialize", dap.InitializeRequestArguments{AdapterID: "torc"}).(*dap.ErrorResponse)
	require.True(t, ok)
	assert.Contains(t, a.Body.Error.Format, "cannot reach a server at "+dir)
	assert.True(t, a.Body.Error.ShowUser)
	assert.ErrorContains(t, <-c.ended, "name its data folder with --data DIR")
}

// TestEditorExtension checks the files of editors/vscode as far as that goes without the editor.
func TestEditorExtension(t *testing.T) {
	text, err := os.ReadFile("../../editors/vscode/package.json")
	require.NoError(t, err)
	var p struct {
		Main        string
		Contributes struct{ Debuggers []struct{ Type string } }
	}
	require.NoError(t, json.Unmarshal(text, &p))
	assert.Equal(t, "torc", p.Contributes.Debuggers[0].Type)
	code, err := os.ReadFile(filepath.Join("../../editors/vscode", p.Main))
	require.NoError(t, err)
	assert.Contains(t, string(code), `["mod", "debug", mod]`)
}
