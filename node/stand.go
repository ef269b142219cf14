package node

import (
	"context"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// stand is the state of a loop whose server stands still in the middle of a script.
type stand struct {
	ctx    context.Context // of run
	stood  netcore.Time    // time that the server has stood still so far
	paused bool            // the server is paused, because a script stood still
	still  bool            // a script stands still
}

// standStill keeps the connections alive while a script stands still, until over returns true. The script may
// be in the middle of a tick, so the server does not tick: no other script runs. It is paused, and the clients are told.
// Only urgent functions run. The local client goes on. over is called once per tick at least; ending
// says that the node is to end.
func (l *loop) standStill(over func(ending bool) bool) {
	host, began := l.sides[0].host, l.now()
	if !host.Paused() {
		host.Pause(true)
		l.paused = true
	}
	l.still = true
	timer := time.NewTimer(0)
	defer timer.Stop()
	for !over(l.ctx != nil && l.ctx.Err() != nil) {
		timer.Reset(l.until(l.now()))
		l.wait(nil, timer.C, nil)
		ticks, _ := l.pace.due(l.now(), host.TickLength())
		for range ticks {
			l.round(true)
		}
		if ticks == 0 {
			l.round(false)
		}
		l.afterRound(l.now())
	}
	l.still = false
	l.stood += l.now() - began
}

// goOn ends the pause of a script that stood still. It does nothing while one does. So a script that stops
// several times in a tick pauses the server once.
func (l *loop) goOn() {
	if l.paused && !l.still {
		l.paused = false
		l.sides[0].host.Pause(false)
	}
}
