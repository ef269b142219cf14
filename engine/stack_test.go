package engine_test

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/seal"
)

// stackWatch looks at the stack of each call that can run a script.
type stackWatch struct {
	*enginetest.Story
	t        *testing.T
	called   map[string]int
	deferred *[]*engine.Connection // whose requests it decides in its next Tick
}

// look fails if a frame of the protocol is on the stack: a debugger can stop the script, and the
// program then uses the protocol.
func (w stackWatch) look(what string) {
	w.called[what]++
	pcs := make([]uintptr, 200)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		simulated := strings.Contains(f.Function, "/netsim.") || strings.Contains(f.Function, ".(*Link).")
		if strings.Contains(f.Function, "torc/netcore") && !simulated {
			assert.Fail(w.t, "a script runs inside of the protocol", "%s: %s", what, f.Function)
		}
		if !more {
			return
		}
	}
}

func (w stackWatch) ConnectRequest(c *engine.Connection, args []string) string {
	w.look("ConnectRequest")
	c.Join.Defer("checking", "")
	*w.deferred = append(*w.deferred, c)
	return w.Story.ConnectRequest(c, args)
}

func (w stackWatch) StillRefuses(c *engine.Connection) string {
	w.look("StillRefuses")
	return w.Story.StillRefuses(c)
}

func (w stackWatch) Connected(c *engine.Connection, args []string) {
	w.look("Connected")
	w.Story.Connected(c, args)
}

func (w stackWatch) Arrived(c *engine.Connection) {
	w.look("Arrived")
	w.Story.Arrived(c)
}

func (w stackWatch) Dropped(c *engine.Connection, reason string) {
	w.look("Dropped")
	w.Story.Dropped(c, reason)
}

func (w stackWatch) Accepted(c *engine.Connection) {
	w.look("Accepted")
	w.Story.Accepted(c)
}

func (w stackWatch) ConnectionEnded(c *engine.Connection, reason string, timedOut bool) {
	w.look("ConnectionEnded")
	w.Story.ConnectionEnded(c, reason, timedOut)
}

func (w stackWatch) ConnectFailed(address, reason string) {
	w.look("ConnectFailed")
	w.Story.ConnectFailed(address, reason)
}

func (w stackWatch) WatchesFields() bool {
	w.look("WatchesFields")
	return true
}

func (w stackWatch) FieldsReceived(o sim.Object, groups uint32) {
	w.look("FieldsReceived")
	w.Story.FieldsReceived(o, groups)
}

func (w stackWatch) FieldsDone() {
	w.look("FieldsDone")
	w.Story.FieldsDone()
}

func (w stackWatch) EndTick() {
	w.look("EndTick")
	w.Story.EndTick()
}

func (w stackWatch) Entered(c *engine.Connection) {
	w.look("Entered")
	w.Story.Entered(c)
}

func (w stackWatch) EnteredGame(c *engine.Connection) {
	w.look("EnteredGame")
	w.Story.EnteredGame(c)
}

func (w stackWatch) DataBlocksDone(c *engine.Connection, seq uint32) {
	w.look("DataBlocksDone")
	w.Story.DataBlocksDone(c, seq)
}

func (w stackWatch) GhostAlwaysDone(c *engine.Connection) {
	w.look("GhostAlwaysDone")
	w.Story.GhostAlwaysDone(c)
}

func (w stackWatch) ConnectionEvent(c *engine.Connection, name string, args ...sim.Value) {
	w.look("ConnectionEvent")
	w.Story.ConnectionEvent(c, name, args...)
}

func (w stackWatch) Event(o sim.Object, name string, args []sim.Value) bool {
	w.look("Event")
	return w.Story.Event(o, name, args)
}

func (w stackWatch) Checks(sim.Object, string) bool { return true }

func (w stackWatch) Check(o sim.Object, name string, args []sim.Value) (sim.Value, bool) {
	w.look("Check")
	return w.Story.Check(o, name, args)
}

func (w stackWatch) Command(c *engine.Connection, name string, args []sim.Value) bool {
	w.look("Command")
	return w.Story.Command(c, name, args)
}

func (w stackWatch) DataBlockReceived(c *engine.Connection, index, total int) {
	w.look("DataBlockReceived")
	w.Story.DataBlockReceived(c, index, total)
}

func (w stackWatch) GhostAdded(c *engine.Connection, o sim.Object) {
	w.look("GhostAdded")
	w.Story.GhostAdded(c, o)
}

func (w stackWatch) GhostRemoved(c *engine.Connection, o sim.Object) {
	w.look("GhostRemoved")
	w.Story.GhostRemoved(c, o)
}

func (w stackWatch) GhostAcked(c *engine.Connection, o sim.Object) {
	w.look("GhostAcked")
	w.Story.GhostAcked(c, o)
}

func (w stackWatch) WatchesAcks() bool {
	w.look("WatchesAcks")
	return true
}

func (w stackWatch) InScope(o sim.Object, c *engine.Connection, last bool) (visible, asked bool) {
	w.look("InScope")
	return w.Story.InScope(o, c, last)
}

func (w stackWatch) VoiceAudience(c *engine.Connection, channel string) []sim.ID {
	w.look("VoiceAudience")
	return w.Story.VoiceAudience(c, channel)
}

func (w stackWatch) Removed(o sim.Object) {
	w.look("Removed")
	w.Story.Removed(o)
}

func (w stackWatch) FormEnded(c *engine.Connection, number uint32, a engine.FormAnswer) {
	w.look("FormEnded")
	w.Story.FormEnded(c, number, a)
}

func (w stackWatch) Drain(most time.Duration) bool {
	w.look("Drain")
	return w.Story.Drain(most)
}

func (w stackWatch) Tick(n uint64) {
	w.look("Tick")
	for _, c := range *w.deferred {
		c.Join.Decide("")
	}
	w.Story.Tick(n)
}

// unwatched are the calls that run no script, and two that need more than this game: drain calls
// CommandsRefused, and predict InitialControlSet, where they call Command and ConnectionEvent.
var unwatched = []string{"BeginTick", "Busy", "OverBudget", "OverShare", "Ahead", "CanCheck", "Checks", "Undone", "CommandsRefused", "InitialControlSet"}

// TestScriptsRunOutsideOfTheProtocol plays a join, a game and a leave, and looks at the stack of
// each call of scripts.
func TestScriptsRunOutsideOfTheProtocol(t *testing.T) {
	called := map[string]int{}
	watch := func(p *enginetest.Player) {
		p.Host.SetScripts(stackWatch{p.Story, t, called, new([]*engine.Connection)})
	}
	speak := func(cfg *engine.Config) {
		cfg.Speak = func() []engine.Speech { return []engine.Speech{{Data: []byte{9 << 3}}} }
	}
	open := func(cfg *engine.Config) {
		cfg.OpenTicket = func([]byte, seal.Key) (engine.Arrival, error) { return engine.Arrival{}, nil }
	}
	r := enginetest.New(t, enginetest.Options{Both: speak, Server: open, Ticket: []byte("a ticket")})
	r.Server.Settings.Voice = "mod"
	r.Server.Apply()
	watch(r.Server)
	r.Server.Hide = func(sim.Object, *engine.Connection) bool { return false }
	declare(t, r.Server.Host, 3, 2)
	watch(r.Clients[0])
	r.Join()
	o := &enginetest.Thing{}
	r.Server.World().Add(o)
	r.Run(time.Second)
	require.NoError(t, o.Ident().Class().Lookup("team").Set(o, sim.Number(2)))
	r.Server.World().Emit(o, "hit")
	r.Server.World().Check(o, "hit", func(sim.Value) {})
	require.NoError(t, r.Clients[0].Host.Server().Commands.Send(engine.CommandOptions{}, sim.String("Say"), nil))
	shop := form.Form{Name: "shop", Rows: []form.Row{{Kind: form.Button, Text: "Buy"}}}
	r.Clients[0].Host.Server().Arrive()
	require.NoError(t, r.Peer(0).Forms().Open("m", shop, func(uint32) {}))
	r.Run(time.Second)
	require.NoError(t, r.Clients[0].Host.Server().Forms().Answer(form.Answer{Number: 1}))
	r.Run(time.Second)
	require.NoError(t, r.Server.World().Delete(o))
	r.Run(time.Second)
	require.NoError(t, r.Server.Drain.Begin(time.Hour, "", false))
	r.Peer(0).Disconnect("enough")
	r.Run(time.Second)
	require.NoError(t, r.Clients[0].Host.Dialer.Connect("host 99", engine.ConnectArgs{}))
	r.Run(time.Minute)
	calls := reflect.TypeFor[engine.Scripts]()
	for i := range calls.NumMethod() {
		if what := calls.Method(i).Name; !slices.Contains(unwatched, what) {
			assert.NotZero(t, called[what], "%s was not called", what)
		}
	}
}
