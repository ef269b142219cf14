//go:build !js

package node

import (
	"net/netip"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/metrics"
)

// scrapes serves the metrics over HTTP.
type scrapes struct{ server *metrics.Listener }

// openScrapes listens at HOST:PORT. text makes the metrics, on the goroutine that owns the server.
func openScrapes(p *core.Posts, hostport string, text func() string) (*scrapes, error) {
	address, err := metrics.Address(hostport)
	if err != nil {
		return nil, err
	}
	server, err := metrics.Listen(address)
	if err != nil {
		return nil, err
	}
	go core.Forward(p, server.Requests(), func(r *metrics.Request) {
		if r.Health {
			r.Answer("")
			return
		}
		r.Answer(text())
	}, func(r *metrics.Request) { r.Answer("") })
	return &scrapes{server}, nil
}

func (s *scrapes) addr() netip.AddrPort { return netip.MustParseAddrPort(s.server.Addr().String()) }

func (s *scrapes) close() { _ = s.server.Close() } // a client learns of it by the end of its connection

func (s *Server) metricsText() string {
	text := metrics.Text(&s.core.Loop.Pulse, s.core.Side.Host, s.core.Side.Scripts)
	if s.web != nil {
		text += s.web.numbers().Text()
	}
	return text
}

func (s *Server) metricsCommands() []console.Command {
	return []console.Command{{
		Name: "metrics", Help: "the server's metrics in the text format of Prometheus (serve --metrics HOST:PORT serves them)",
		Run: func([]string) (string, error) { return s.metricsText() + metrics.Process(), nil },
	}}
}
