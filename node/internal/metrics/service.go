package metrics

import (
	"net/netip"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
)

// A Service serves the metrics of a server over HTTP, and by the command metrics.
type Service struct {
	core.Passive
	core.OfMachine
	core   *core.Core
	at     string          // HOST:PORT; "" serves nothing over HTTP
	name   string          // of the server in its fleet, the label of all metrics; "" without one
	more   []func() string // the metrics of other services
	server *Listener       // nil: nothing is served
}

// New returns the metrics of a server with a name in its fleet, "" without one. more has those of
// other services.
func New(c *core.Core, at, name string, more ...func() string) *Service {
	c.Before((&descriptors{log: c.Log, open: openNull}).look)
	return &Service{core: c, at: at, name: name, more: more}
}

// Commands is metrics.
func (s *Service) Commands() []console.Command {
	return []console.Command{{
		Name: "metrics", Help: "the server's metrics in the text format of Prometheus (serve --metrics HOST:PORT serves them)",
		Run: func([]string) (string, error) { return Labelled(s.text()+Process(), s.name), nil },
	}}
}

// Start listens.
func (s *Service) Start(c *core.Core) error {
	if s.at == "" {
		return nil
	}
	address, err := Address(s.at)
	if err == nil {
		s.server, err = Listen(address, s.name)
	}
	if err != nil {
		return &core.ConfigError{Field: "Metrics", Value: s.at, Err: err}
	}
	go core.Forward(c.Posts, s.server.Requests(), s.answer, func(r *Request) { r.Answer("") })
	return nil
}

// answer answers a scrape, on the goroutine of the server.
func (s *Service) answer(r *Request) {
	if r.Health {
		r.Answer(s.health())
		return
	}
	r.Answer(s.text())
}

// health is the answer for /healthz. A server that drains is well: a supervisor that ended it would
// drop its players.
func (s *Service) health() string {
	if s.core.Side.Host.Drain.On() {
		return draining
	}
	return ""
}

func (s *Service) text() string {
	text := Text(&s.core.Loop.Pulse, s.core.Side.Host, s.core.Side.Scripts)
	for _, more := range s.more {
		text += more()
	}
	return text
}

// AddAddresses adds where the metrics are served.
func (s *Service) AddAddresses(a *core.Addresses) {
	if s.server != nil {
		a.Metrics = netip.MustParseAddrPort(s.server.Addr().String())
	}
}

// Close closes the port.
func (s *Service) Close() error {
	if s.server != nil {
		_ = s.server.Close() // a client learns of it by the end of its connection
	}
	return nil
}
