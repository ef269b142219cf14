package core

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

// StandStill keeps the connections alive while a script stands still, until over returns true. The
// script may be in the middle of a tick, so the server does not tick: no other script runs. It is
// paused, and the clients are told. Only urgent functions run. The local client goes on. over is
// called once per tick at least; ending says that the node is to end.
func (l *Loop) StandStill(over func(ending bool) bool) {
	host, began := l.Sides[0].Host, l.Now()
	if !host.Pace.Paused() {
		host.Pace.Pause(true)
		l.paused = true
	}
	l.still = true
	timer := time.NewTimer(0)
	defer timer.Stop()
	for !over(l.ctx != nil && l.ctx.Err() != nil) {
		timer.Reset(l.Until(l.Now()))
		l.wait(nil, timer.C, nil)
		ticks, _ := l.pace.Due(l.Now(), host.Pace.TickLength())
		for range ticks {
			l.round(true)
		}
		if ticks == 0 {
			l.round(false)
		}
		l.AfterRound(l.Now())
	}
	l.still = false
	l.stood += l.Now() - began
}

// goOn ends the pause of a script that stood still. It does nothing while one does. So a script
// that stops several times in a tick pauses the server once.
func (l *Loop) goOn() {
	if l.paused && !l.still {
		l.paused = false
		l.Sides[0].Host.Pace.Pause(false)
	}
}
