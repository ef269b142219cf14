package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestLineForAPerson lists what a player sees of the line.
func TestLineForAPerson(t *testing.T) {
	const ms = time.Millisecond
	for name, x := range map[string]struct {
		facts lineFacts
		want  Line
	}{
		"begins":                {lineFacts{connecting: true}, Line{0, "connecting…"}},
		"busy":                  {lineFacts{connecting: true, waits: 3500 * ms}, Line{0, "the server is busy, waiting (3 s)"}},
		"busy, in a queue":      {lineFacts{connecting: true, waits: 3500 * ms, ahead: 312}, Line{0, "the server is busy, waiting (3 s): 312 before you"}},
		"busy in the join":      {lineFacts{connected: true, joining: true, waits: 2 * time.Second}, Line{0, "the server is busy, waiting (2 s)"}},
		"joins":                 {lineFacts{connected: true, joining: true, rtt: 50 * ms}, Line{4, "joining…"}},
		"best":                  {lineFacts{connected: true, rtt: 100 * ms, loss: 0.02, why: "kicked"}, Line{4, ""}},
		"far":                   {lineFacts{connected: true, rtt: 101 * ms}, Line{3, ""}},
		"farther":               {lineFacts{connected: true, rtt: 201 * ms}, Line{2, ""}},
		"lossy":                 {lineFacts{connected: true, rtt: 20 * ms, loss: 0.06}, Line{2, ""}},
		"very lossy":            {lineFacts{connected: true, rtt: 20 * ms, loss: 0.3}, Line{1, ""}},
		"interrupted":           {lineFacts{connected: true, rtt: 20 * ms, silent: 7300 * ms}, Line{0, "connection interrupted (7 s)"}},
		"paused":                {lineFacts{connected: true, paused: true}, Line{4, "the game is paused"}},
		"comes back":            {lineFacts{back: true, why: "the server restarts"}, Line{0, "reconnecting… (the server restarts)"}},
		"tries":                 {lineFacts{back: true, connecting: true, why: "timed out"}, Line{0, "reconnecting… (timed out)"}},
		"back at a busy server": {lineFacts{back: true, connecting: true, waits: 2 * time.Second, why: "timed out"}, Line{0, "the server is busy, waiting (2 s)"}},
		"is checked":            {lineFacts{connecting: true, waits: 3 * time.Second, checking: "checking"}, Line{0, "the server says: checking (3 s)"}},
		"ended":                 {lineFacts{why: "kicked: enough"}, Line{0, "disconnected: kicked: enough"}},
		"nothing yet":           {lineFacts{}, Line{}},
	} {
		assert.Equal(t, x.want, x.facts.line(), name)
	}
}

// TestWaitingPlayersAreTold: once when the wait begins, and each 5 s while their place in the queue
// is known.
func TestWaitingPlayersAreTold(t *testing.T) {
	var w lineWatch
	var told []string
	say := func(waits time.Duration, ahead int) {
		if text := w.wait(waits, ahead, ""); text != "" {
			told = append(told, text)
		}
	}
	say(0, 0)
	for i := range 12 {
		say(time.Duration(1+i)*time.Second, 120-10*i)
	}
	for i := range 10 {
		say(time.Duration(13+i)*time.Second, 0)
	}
	say(0, 0)
	say(time.Second, 0)
	say(time.Second/2, 0)
	assert.Equal(t, []string{
		"the server is busy, waiting: 120 before you", "the server is busy, waiting: 70 before you",
		"the server is busy, waiting: 20 before you", "the server is busy, waiting", "the server is busy, waiting",
	}, told)
}

// TestTextsOfCheckingServersAreTold: each text of a server that decides later is told once, without
// what would end the line.
func TestTextsOfCheckingServersAreTold(t *testing.T) {
	var w lineWatch
	var told []string
	say := func(waits time.Duration, checking string) {
		if text := w.wait(waits, 0, checking); text != "" {
			told = append(told, text)
		}
	}
	say(0, "too early")
	for i := range 8 {
		say(time.Duration(1+i)*time.Second, "checking\n\x1b[2J")
	}
	say(9*time.Second, "nearly done")
	say(0, "")
	assert.Empty(t, w.checking)
	say(time.Second, "nearly done")
	assert.Len(t, told, 3)
	assert.Regexp(t, `^the server says: checking[^\n\x1b]*$`, told[0])
	assert.Equal(t, []string{"the server says: nearly done", "the server says: nearly done"}, told[1:])
}

// TestSlowConnectsAreTold: after a second, once for each connect, unless the player knows that the
// server is busy.
func TestSlowConnectsAreTold(t *testing.T) {
	var w lineWatch
	at := func(ms int, connecting bool) bool { return w.dial(time.Duration(ms)*time.Millisecond, connecting) }
	for _, round := range []int{1000, 100_000} {
		assert.False(t, at(round, true))
		assert.False(t, at(round+999, true))
		assert.True(t, at(round+1000, true))
		assert.False(t, at(round+5000, true))
		assert.False(t, at(round+6000, false))
	}
	w.waits = time.Second
	assert.False(t, at(200_000, true))
	assert.False(t, at(202_000, true))
}
