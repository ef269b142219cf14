package web

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/coder/websocket"

	"github.com/torc-engine/torc/netcore/udp"
)

// socketLine is a WebSocket. Each binary message is a datagram.
type socketLine struct {
	conn *websocket.Conn
	net  net.Conn // of conn
}

var errNotBinary = errors.New("messages must be binary")

// read implements line.
func (l *socketLine) read() (*udp.Packet, error) {
	kind, r, err := l.conn.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	if kind != websocket.MessageBinary {
		l.refuse(websocket.StatusUnsupportedData, errNotBinary)
		return nil, errNotBinary
	}
	packet, err := udp.ReadPacket(r)
	if err != nil {
		l.refuse(websocket.StatusMessageTooBig, err)
	}
	return packet, err
}

// refuse tells the peer why the line ends.
func (l *socketLine) refuse(code websocket.StatusCode, why error) {
	l.end()
	_ = l.conn.Close(code, why.Error()) // a peer that has left needs no reason
}

// write implements line.
func (l *socketLine) write(b []byte) error {
	return l.conn.Write(context.Background(), websocket.MessageBinary, b)
}

// end implements line.
func (l *socketLine) end() { _ = l.net.SetDeadline(time.Now().Add(endTime)) }

// close implements line.
func (l *socketLine) close() { _ = l.conn.CloseNow() }
