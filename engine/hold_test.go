package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore/seal"
)

// reading is what clients show during the holds of these tests.
const reading = "the server reads its lists"

// holdRig is a server that holds connect requests, and clients that wait for it.
func holdRig(t *testing.T, o enginetest.Options, most time.Duration) *enginetest.Rig {
	r := enginetest.New(t, o)
	r.Server.Hold.Begin(reading, most)
	for _, c := range r.Clients {
		require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute, Ticket: o.Ticket}))
	}
	r.Run(time.Second)
	return r
}

// asked returns the names of the players that the scripts of a server were asked about.
func asked(p *enginetest.Player) (names []string) {
	for _, line := range p.Story.Lines {
		if name, is := strings.CutPrefix(line, "request from "); is {
			names = append(names, strings.TrimSuffix(name, " []"))
		}
	}
	return names
}

// checking returns what a client shows while it waits.
func checking(c *enginetest.Player) string { return new(engine.JoinWatch).Checking(c.Host) }

// TestJoinsWaitForTheServer: the clients show a text and wait. No script knows them. When the hold
// ends, scripts are asked about each in turn, but not about one that has gone, and all others play.
// Later clients wait no more.
func TestJoinsWaitForTheServer(t *testing.T) {
	r := holdRig(t, enginetest.Options{Clients: 3}, time.Hour)
	for _, c := range r.Clients {
		assert.Equal(t, reading, checking(c))
	}
	r.Clients[1].Dialer.Cancel()
	r.Run(10 * time.Second)
	assert.Empty(t, r.Server.Story.Lines)
	assert.Empty(t, r.Server.Connections())
	assert.Equal(t, reading, checking(r.Clients[0]))
	assert.True(t, r.Server.Hold.On())

	r.Server.Hold.End()
	assert.False(t, r.Server.Hold.On())
	r.Run(time.Second)
	assert.Equal(t, []string{"player 2", "player 4"}, asked(r.Server))
	for _, i := range []int{0, 2} {
		assert.Contains(t, r.Clients[i].Story.Lines, "in the game")
	}
	assert.Empty(t, whyRefused(r, 9, false))
	assert.Contains(t, r.Server.Story.Lines, "plays: player 9")
}

// TestAHoldHasATime: after it, the clients go on by themselves.
func TestAHoldHasATime(t *testing.T) {
	r := holdRig(t, enginetest.Options{}, 3*time.Second)
	r.Run(1900 * time.Millisecond)
	assert.True(t, r.Server.Hold.On())
	assert.Empty(t, asked(r.Server))
	r.Run(300 * time.Millisecond)
	assert.False(t, r.Server.Hold.On())
	assert.Len(t, asked(r.Server), 1)
	r.Run(time.Second)
	assert.Contains(t, r.Clients[0].Story.Lines, "in the game")
}

// TestRefusedAfterAHold lists what refuses a client that has waited. Scripts are asked only if
// there is a place.
func TestRefusedAfterAHold(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(h *enginetest.Player)
		want string
		asks int
	}{
		"a ban":          {func(h *enginetest.Player) { h.Refuse = "banned" }, "banned", 1},
		"no place":       {func(h *enginetest.Player) { h.Admission.MaxClients = 0 }, "server is full (0)", 0},
		"no new players": {func(h *enginetest.Player) { h.Admission.Accepting = false }, engine.ClosedText, 0},
		"a drain":        {func(h *enginetest.Player) { _ = h.Drain.Begin(time.Hour, "", false) }, engine.DrainText, 0},
		"a pause":        {func(h *enginetest.Player) { h.Pace.Pause(true) }, "the server is paused: try again", 0},
		"the end":        {func(h *enginetest.Player) { h.Shutdown("for today") }, "shutting down: for today", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := holdRig(t, enginetest.Options{}, time.Hour)
			c.do(r.Server)
			if name != "a pause" { // it refuses at once
				r.Server.Hold.End()
			}
			r.Run(time.Second)
			assert.Equal(t, []string{"host 1: " + c.want}, r.Clients[0].Story.Lines)
			assert.Len(t, asked(r.Server), c.asks)
			assert.Empty(t, r.Server.Connections())
		})
	}
}

// TestRefusedDuringAHold: a client without the right to join does not wait.
func TestRefusedDuringAHold(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Server.Hold.Begin(reading, time.Hour)
	r.Server.Admission.Password = "sesame"
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{Password: "x", Timeout: time.Minute}))
	r.Run(time.Second)
	assert.Equal(t, []string{"host 1: wrong password"}, r.Clients[0].Story.Lines)
}

// TestATicketCountsBeforeAHold: a ticket is opened once, before the client waits.
func TestATicketCountsBeforeAHold(t *testing.T) {
	opened := 0
	open := func(cfg *engine.Config) {
		cfg.OpenTicket = func([]byte, seal.Key) (engine.Arrival, error) { opened++; return engine.Arrival{From: "arena"}, nil }
	}
	r := holdRig(t, enginetest.Options{Server: open, Ticket: []byte("a ticket")}, time.Hour)
	assert.Equal(t, 1, opened)
	r.Server.Hold.End()
	r.Run(time.Second)
	assert.Equal(t, 1, opened)
	require.Len(t, r.Server.Connections(), 1)
	assert.Equal(t, "arena", r.Peer(0).Arrival().From)
}

// deferring scripts defer each request.
type deferring struct {
	*enginetest.Story
	last *engine.Connection
}

func (s *deferring) ConnectRequest(c *engine.Connection, args []string) string {
	s.last = c
	c.Join.Defer("asking the club", "the mod m")
	return s.Story.ConnectRequest(c, args)
}

// TestScriptsDeferAfterAHold: the time of a hold takes nothing of the time that scripts have, and
// each shows its own text.
func TestScriptsDeferAfterAHold(t *testing.T) {
	for _, answers := range []bool{false, true} {
		r := enginetest.New(t, enginetest.Options{})
		scripts := &deferring{Story: r.Server.Story}
		r.Server.SetScripts(scripts)
		r.Server.Hold.Begin(reading, time.Hour)
		require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}))
		r.Run(9 * time.Second)
		assert.Equal(t, reading, checking(r.Clients[0]))
		assert.Nil(t, scripts.last)
		r.Server.Hold.End()
		r.Run(engine.DeferTime - time.Second)
		assert.Equal(t, "asking the club", checking(r.Clients[0]))
		if answers {
			require.True(t, scripts.last.Join.Decide(""))
		}
		r.Run(2 * time.Second)
		if answers {
			assert.Contains(t, r.Clients[0].Story.Lines, "in the game")
		} else {
			assert.Equal(t, []string{"host 1: the request was not checked in time by the mod m: try again"}, r.Clients[0].Story.Lines)
		}
	}
}

// slowChecks are scripts that can check one request per tick.
type slowChecks struct {
	*enginetest.Story
	ready bool
	most  int // requests of a tick
	n     int
}

func (s *slowChecks) BeginTick() {
	s.most, s.n, s.ready = max(s.most, s.n), 0, true
	s.Story.BeginTick()
}
func (s *slowChecks) CanCheck() bool { return s.ready }

func (s *slowChecks) ConnectRequest(c *engine.Connection, args []string) string {
	s.ready = false
	s.n++
	return s.Story.ConnectRequest(c, args)
}

// TestACrowdAfterAHold: a crowd that has waited does not use more time of scripts in a tick than
// any other one, and nobody is forgotten.
func TestACrowdAfterAHold(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 20})
	scripts := &slowChecks{Story: r.Server.Story}
	r.Server.SetScripts(scripts)
	r.Server.Hold.Begin(reading, time.Hour)
	for _, c := range r.Clients {
		require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}))
	}
	r.Run(2 * time.Second)
	r.Server.Hold.End()
	r.Run(3 * time.Second)
	names := asked(r.Server)
	slices.Sort(names)
	assert.Len(t, slices.Compact(names), 20)
	assert.Equal(t, 1, scripts.most)
	for _, c := range r.Clients {
		assert.Contains(t, c.Story.Lines, "in the game")
	}
}
