package node

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/core"
)

// Line is the state of a client's line to its server, for a person.
type Line struct {
	Bars int    // the quality: 4 is best, 0 is no connection
	Text string // what is wrong; "" while the line works
}

// lineWatch tells the player what happens to the line.
type lineWatch struct {
	join        engine.JoinWatch
	waits       time.Duration // for how long the join has waited for a busy server; 0: it does not wait
	ahead       int           // the clients before this one, as far as the server has said it
	checking    string        // what the server says that decides later
	said        time.Duration // how long the join had waited when the player was told last
	dialing     netcore.Time  // since when a connect has been in progress; 0 if there is none
	toldDialing bool          // the player knows of it
	paused      bool          // the server is paused
	interrupted netcore.Time  // when the line of the present connection broke; 0 while it works
	why         string        // why the last connection ended
}

// watchLine runs before each tick. It prints when a join must wait, when the line to the server
// breaks, and when it works again.
func (c *Client) watchLine() {
	w, server := &c.line, c.core.Side.Host.Server()
	if text := w.wait(w.join.Waiting(c.core.Side.Host), w.join.Ahead(c.core.Side.Host), w.join.Checking(c.core.Side.Host)); text != "" {
		c.core.Print(text)
	}
	if host := c.core.Side.Host; w.dial(c.core.Now(), host.Dialer.Busy() && !c.back.On) {
		c.core.Print("connecting to " + core.HostPort(host.Dialer.LastAddress()) + "…")
	}
	silent := time.Duration(0)
	if server != nil {
		silent = server.Line.Interrupted()
	}
	switch {
	case silent > 0 && w.interrupted == 0:
		w.interrupted = c.core.Now() - silent
		c.core.Print(interruptedText(silent))
	case silent == 0 && w.interrupted > 0:
		if server != nil {
			c.core.Print(fmt.Sprintf("connection restored after %v", (c.core.Now() - w.interrupted).Round(100*time.Millisecond)))
		}
		w.interrupted = 0
	}
	if paused := c.core.Side.Host.Pace.Paused(); paused != w.paused {
		w.paused = paused
		c.core.Print(map[bool]string{true: pausedText, false: "the game goes on"}[paused])
	}
}

// dial notes whether a connect is in progress. It reports once, after a second, whether to tell the
// player: the prompt runs no lines before the join.
func (w *lineWatch) dial(now netcore.Time, connecting bool) bool {
	if !connecting {
		w.dialing, w.toldDialing = 0, false
		return false
	}
	if w.dialing == 0 {
		w.dialing = now
	}
	if w.toldDialing || w.waits > 0 || now-w.dialing < time.Second {
		return false
	}
	w.toldDialing = true
	return true
}

// wait notes how long the join has waited, and behind how many clients. It returns what to tell the
// player: once when the wait begins, and then each 5 s while the server says how many clients are
// before this one. A server that decides later has a text of its own, each of which is told once.
func (w *lineWatch) wait(waits time.Duration, ahead int, checking string) string {
	begins := w.waits == 0 || waits < w.said
	w.waits, w.ahead = waits, ahead
	if waits == 0 {
		checking = ""
	}
	before := w.checking
	if w.checking = console.Clean(checking); w.checking != "" {
		if !begins && w.checking == before {
			return ""
		}
		w.said = waits
		return checkingText(w.checking)
	}
	if waits == 0 || !begins && (ahead == 0 || waits-w.said < sayPlace) {
		return ""
	}
	w.said = waits
	return busyText + placeText(ahead)
}

// Line returns the state of the line. Call it on the goroutine of Run.
func (c *Client) Line() Line {
	host := c.core.Side.Host
	f := lineFacts{waits: c.line.waits, ahead: c.line.ahead, checking: c.line.checking, back: c.back.On, connecting: host.Dialer.Busy(), why: c.line.why}
	if s := host.Server(); s != nil {
		f.connected, f.joining, f.paused = true, s.Join.Phase() != engine.PhaseGame, host.Pace.Paused()
		f.silent, f.rtt, f.loss = s.Line.Interrupted(), s.Net().RTT()+s.Net().RTTVariation(), s.Line.Loss()
	}
	return f.line()
}

// lineFacts are the facts that a Line depends on.
type lineFacts struct {
	connected, joining bool          // there is a connection; its join is not complete
	paused             bool          // the server is paused
	silent             time.Duration // for which the server has answered nothing
	rtt                time.Duration // the round-trip time with its variation
	loss               float64       // the part of the packets that is lost
	waits              time.Duration // for which the join has waited
	ahead              int           // clients before this one at a busy server
	checking           string        // what a server says that decides later
	connecting, back   bool          // a connect is in progress; the client comes back by itself
	why                string        // why the last connection ended
}

const (
	busyText   = "the server is busy, waiting"
	pausedText = "the game is paused"
	sayPlace   = 5 * time.Second // between two words to a player who waits
)

// placeText says how many clients are before this one. 0 is not known.
func placeText(ahead int) string {
	if ahead == 0 {
		return ""
	}
	return fmt.Sprintf(": %d before you", ahead)
}

// checkingText says what a server says that decides later.
func checkingText(text string) string { return "the server says: " + text }

func interruptedText(silent time.Duration) string {
	return fmt.Sprintf("connection interrupted (%d s)", silent/time.Second)
}

func (f lineFacts) line() Line {
	switch {
	case f.checking != "":
		return Line{Text: fmt.Sprintf("%s (%d s)", checkingText(f.checking), f.waits/time.Second)}
	case f.waits > 0:
		return Line{Text: fmt.Sprintf("%s (%d s)%s", busyText, f.waits/time.Second, placeText(f.ahead))}
	case f.silent > 0:
		return Line{Text: interruptedText(f.silent)}
	case f.paused:
		return Line{f.bars(), pausedText}
	case f.connected && f.joining:
		return Line{f.bars(), "joining…"}
	case f.connected:
		return Line{Bars: f.bars()}
	case f.back:
		return Line{Text: "reconnecting… (" + f.why + ")"}
	case f.connecting:
		return Line{Text: "connecting…"}
	case f.why != "":
		return Line{Text: "disconnected: " + f.why}
	}
	return Line{}
}

// barLimits are the longest round-trip time and the highest loss of a line with 4, 3 and 2 bars.
var barLimits = [...]struct {
	rtt  time.Duration
	loss float64
}{
	{100 * time.Millisecond, 0.02},
	{200 * time.Millisecond, 0.05},
	{400 * time.Millisecond, 0.15},
}

func (f lineFacts) bars() int {
	bars := 4
	for _, limit := range barLimits {
		if f.rtt > limit.rtt || f.loss > limit.loss {
			bars--
		}
	}
	return bars
}
