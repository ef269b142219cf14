package bench

import (
	"bytes"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// forceDetector detects outside forces on a player's body, on the server: hits, blasts and script
// changes. A force is any change of control state, damage or body outside the moves step.
type forceDetector struct {
	conn   *engine.Connection // the player's connection on the server; nil: not yet
	body   sim.Controllable
	hurt   float64
	state  []byte // the control state at the last look
	buffer [512]byte
	writer bitstream.Writer
	last   netcore.Time // time of the last force
	count  int
}

// look runs after a step of the server's tick. moves reports whether it was the moves step.
func (f *forceDetector) look(now netcore.Time, moves bool) {
	if f.conn == nil {
		return
	}
	o, _ := f.conn.Control.Object().(sim.Controllable)
	hurt := 0.0
	f.writer.Reset(f.buffer[:])
	if o != nil {
		hurt = o.Ident().Class().Lookup("damageLevel").Get(o).Number()
		o.CodeControl(sim.Coder{Codec: &f.writer.Codec})
	}
	state := f.writer.Bytes()
	if o != f.body || hurt > f.hurt || !moves && !bytes.Equal(state, f.state) {
		f.last = now
		f.count++
	}
	f.body, f.hurt, f.state = o, hurt, append(f.state[:0], state...)
}
