package engine

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore/seal"
)

const (
	talkerStays = 30 * time.Second       // without a frame
	speaksFor   = 300 * time.Millisecond // after a frame
)

// A talker is a client of a server that has talked lately: its row in the table of voices.
type talker struct {
	conn      *Connection
	number    uint32
	owner     string // who pays for its places at listeners
	mark      uint64
	intake    voice.Intake
	pending   []voice.Spoken // of this tick
	last      []voice.Spoken // of the last tick
	audiences [voice.Channels]audience
	named     map[sim.ID]introduction // by listener
	bytes     uint64
	recent    rate.Recent
}

// introduction is what a listener knows of a talker.
type introduction struct {
	name   string
	object sim.ID
	ghost  uint32
}

func newTalker(c *Connection, number uint32) *talker {
	return &talker{conn: c, number: number, owner: ownerOf(c), mark: markBits(c), named: map[sim.ID]introduction{}}
}

// ownerOf returns who pays for what a connection takes from others: its address, or the connection
// itself at an address without limits.
func ownerOf(c *Connection) string {
	if c.host.Limits().Exempt(c.Line.Addr()) {
		return fmt.Sprint(c.ID())
	}
	return c.Line.Addr().Host().String()
}

// markBits returns Talker.Mark of a client as the wire has it.
func markBits(c *Connection) uint64 {
	m := seal.MarkOf(c.host.cfg.Identity.Public, c.key)
	return binary.LittleEndian.Uint64(m[:])
}

// talkerNameOf returns the name of a talker for its listeners.
func talkerNameOf(c *Connection) string {
	return strings.ToValidUTF8(c.PlayerName[:min(len(c.PlayerName), maxTalkerName)], "")
}

// introduce tells a listener who the talker is, unless it knows that.
func (t *talker) introduce(to *Connection) {
	is := introduction{name: talkerNameOf(t.conn)}
	if o := t.conn.Control.Object(); o != nil && o.Ident().Number() != 0 {
		is.object, is.ghost = o.Ident().ID(), to.ghosts.NameOf(o.Ident().Number())
	}
	if was, knows := t.named[to.ID()]; knows && was == is {
		return
	}
	if t.named[to.ID()] = is; is.ghost == 0 {
		is.object = 0
	}
	to.post(&voiceState{talker: talkerName{t.number, uint64(t.conn.ID()), is.name, t.mark, uint32(is.object)}}, commands)
}
