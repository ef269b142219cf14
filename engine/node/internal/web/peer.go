package web

import (
	"context"
	"net"
	"time"

	"github.com/coder/websocket"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

const (
	messageRate  = 250             // messages per second that are read of a peer
	messageBurst = 100             // the same at once
	endTime      = 1 * time.Second // for the last packets of a peer
)

// peer is a browser with a WebSocket.
type peer struct {
	addr  netcore.Addr
	conn  *websocket.Conn
	net   net.Conn // of conn
	out   outbox
	pace  pace
	heard func(*udp.Packet)

	// guarded by peers.mu
	sweep  int // the newest sweep that found a connection of the game
	silent int // sweeps since then
}

// read passes on the messages of the peer until the connection ends. It answers no message that is not a
// datagram: the connection ends.
func (p *peer) read() {
	for {
		kind, r, err := p.conn.Reader(context.Background())
		if err != nil {
			return
		}
		p.pace.wait()
		if kind != websocket.MessageBinary {
			p.refuse(websocket.StatusUnsupportedData, "messages must be binary")
			return
		}
		packet, err := udp.ReadPacket(r)
		if err != nil {
			p.refuse(websocket.StatusMessageTooBig, err.Error())
			return
		}
		packet.From, packet.At = p.addr, time.Now()
		p.heard(packet)
	}
}

// refuse tells the peer why the connection ends.
func (p *peer) refuse(code websocket.StatusCode, why string) {
	_ = p.net.SetDeadline(time.Now().Add(endTime))
	_ = p.conn.Close(code, why) // a peer that has left needs no reason
}

// write writes the packets of the outbox until it is closed or the connection ends.
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
			err = p.conn.Write(context.Background(), websocket.MessageBinary, packet.Bytes())
		}
		packet.Free()
	}
	_ = p.conn.CloseNow()
}

// pace bounds how fast a peer is read. TCP holds back the rest.
type pace struct {
	tokens float64
	at     time.Time
}

// wait waits for the turn of the next message.
func (p *pace) wait() { time.Sleep(p.next(time.Now())) }

// next returns how long the next message waits.
func (p *pace) next(now time.Time) time.Duration {
	if p.at.IsZero() {
		p.tokens = messageBurst
	} else {
		p.tokens = min(messageBurst, p.tokens+now.Sub(p.at).Seconds()*messageRate)
	}
	p.at = now
	p.tokens--
	return max(0, time.Duration(-p.tokens/messageRate*float64(time.Second)))
}
