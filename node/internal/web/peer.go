package web

import (
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

const (
	messageRate  = 250             // messages per second that are read of a peer
	messageBurst = 100             // the same at once
	endTime      = 1 * time.Second // for the last packets of a peer
)

// line carries the messages of a peer: a WebSocket, or a data channel of WebRTC.
type line interface {
	// read returns the next message. It waits for one, and returns an error at the end of the line.
	// It ends the line itself at a message that is no datagram.
	read() (*udp.Packet, error)
	// write sends a message. It can wait.
	write(b []byte) error
	// end makes what runs end within endTime.
	end()
	// close ends the line, after what was written.
	close()
}

// peer is a browser.
type peer struct {
	addr   netcore.Addr
	ranges []netcore.Addr // of addr; guarded by peers.mu
	secure bool           // nobody on the path could change the page
	line   line           // nil until the line is open, or half open
	out    outbox
	pace   pace
	heard  func(*udp.Packet)

	// guarded by peers.mu
	open   bool                // the line is open
	moved  int                 // the newest sweep before its newest progress: the reservation, or the open line
	sweep  int                 // the newest sweep that found a connection of the game
	silent int                 // sweeps since then
	joined func(now time.Time) // if not nil, called at the first connection of the game
}

// read passes on the messages of the peer until the line ends.
func (p *peer) read() {
	for {
		packet, err := p.line.read()
		if err != nil {
			return
		}
		p.pace.wait()
		packet.From, packet.At = p.addr, time.Now()
		p.heard(packet)
	}
}

// write writes the packets of the outbox until it is closed or the line ends.
func (p *peer) write() {
	var err error
	for more := true; more; {
		var packet *udp.Packet
		if packet, more = p.out.take(); packet == nil {
			if more {
				<-p.out.wake
			}
			continue
		}
		if err == nil {
			err = p.line.write(packet.Bytes())
		}
		packet.Free()
	}
	p.line.close()
}
