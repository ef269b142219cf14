package engine_test

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
)

// lines is a log that keeps its messages.
type lines struct{ said []string }

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lines) WithGroup(string) slog.Handler            { return l }
func (l *lines) Handle(_ context.Context, r slog.Record) error {
	l.said = append(l.said, r.Message)
	return nil
}

// TestOrderOfSections checks the fixed order of a packet's sections, which is their priority: moves
// or their results, then events, then ghosts.
func TestOrderOfSections(t *testing.T) {
	var log lines
	r := newRace(t, enginetest.Options{Server: func(c *engine.Config) { c.Log = slog.New(&log) }})
	r.nextMove = ahead
	r.ticks(20)
	r.Server.Settings.Log = 3
	r.Server.Apply()
	log.said = nil
	hello := sim.String("Hello")
	said := false
	r.nextMove = func(int) sim.Move { // in a tick, so that everything goes in one packet
		if !said {
			require.NoError(t, r.Clients[0].Host.Server().Commands.Send(engine.CommandOptions{}, hello, nil))
		}
		said = true
		return sim.Move{Y: -16}
	}
	r.runners[0].Done = func(m sim.Move) {
		if m.Y > 0 {
			return
		}
		r.runners[0].Done = nil
		newThing(t, r.Server.Host, "new")
		r.runners[0].Push(sim.Vec3{X: 1})
		require.NoError(t, r.peer(0).Commands.Send(engine.CommandOptions{}, hello, nil))
	}
	r.ticks(2)
	assert.Equal(t, strings.TrimSpace(`
-> moves 20 to 21: 44 bits
-> data 25 header 31, rate 1, moves 44, events 3, ghosts 1 bits
<- answer to move 21: 8 bits
<- data 32 header 31, rate 1, moves 8, events 3, ghosts 1 bits
-> moves 21 to 22: 58 bits
-> event announce: 39 bits
-> event command: 17 bits
-> data 26 header 31, rate 1, moves 58, events 63, ghosts 1 bits
<- answer to move 22, control state of ghost 0 (137 bits): 162 bits
<- event announce: 39 bits
<- event command: 17 bits
<- create ghost 1 (Thing), groups 0x1f: 93 bits
<- data 33 header 31, rate 1, moves 162, events 63, ghosts 127 bits
`), regexp.MustCompile(`(?m)^sim:2 |ack \d+: |, \d+ bytes$`).ReplaceAllString(strings.Join(log.said, "\n"), ""))
}
