package attack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/coder/websocket"

	"github.com/torc-engine/torc/netcore"
)

// webSite starts a server that also serves browsers, at the port of the game. It has no client for
// them, and builds none.
func webSite(ctx context.Context, torc string) (*site, error) {
	return startSetup(ctx, torc, setup{listen: "127.0.0.1:0", web: true})
}

const dialMost = 2 * time.Second // for the answer to a WebSocket

// dialWeb opens a WebSocket from an address, for a page of an origin.
func dialWeb(to netip.AddrPort, from netip.Addr, origin string) (*websocket.Conn, error) {
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))}
	t := &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}
	ctx, cancel := context.WithTimeout(context.Background(), dialMost)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws://"+to.String()+"/ws", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: t}, Subprotocols: []string{"torc"}, HTTPHeader: http.Header{"Origin": {origin}},
	})
	return c, err
}

// playWeb opens WebSockets from 16 addresses. Every second one says nothing, the others send noise,
// and each eighth is of another web site.
func playWeb(r *round) error {
	var open []*websocket.Conn
	defer func() {
		for _, c := range open {
			_ = c.CloseNow()
		}
	}()
	own := "http://" + r.target.String()
	tried, refused, foreign := 0, 0, 0
	err := r.during(func() error {
		n, origin := tried, own
		if tried++; n%8 == 7 {
			origin = "https://evil.example"
		}
		c, err := dialWeb(r.target, r.from(n%16), origin)
		switch {
		case err != nil:
			if origin == own {
				refused++
			}
			time.Sleep(time.Millisecond)
			return nil
		case origin != own:
			foreign++
		}
		open = append(open, c)
		if n%2 == 0 {
			sendNoise(c, 100)
		}
		return nil
	})
	r.note("%d WebSockets, %d of them above the limit, %d of another site got in; %d honest joins, %d of them refused", tried, refused, foreign, len(r.joins), r.refusals())
	r.fail(foreign > 0, "a page of another site opened a WebSocket")
	r.fail(refused == 0, "an address opened as many WebSockets as it liked")
	r.fail(len(open) == 0, "no WebSocket could be opened")
	return err
}

// sendNoise sends messages of random bytes, and a text at the end.
func sendNoise(c *websocket.Conn, n int) {
	ctx, cancel := context.WithTimeout(context.Background(), dialMost)
	defer cancel()
	b := make([]byte, netcore.MaxDatagram)
	for range n {
		for k := range b {
			b[k] = byte(rand.Uint32())
		}
		if c.Write(ctx, websocket.MessageBinary, b[:1+rand.IntN(len(b))]) != nil {
			return
		}
	}
	_ = c.Write(ctx, websocket.MessageText, []byte(fmt.Sprint(n))) // the server ends the connection
}
