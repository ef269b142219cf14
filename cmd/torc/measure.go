package main

import (
	"fmt"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/node/metrics"
	"github.com/torc-engine/torc/netcore"
)

// measuring is what a loop with a server tells programs that watch it.
type measuring struct {
	pulse   metrics.Pulse
	watched *metrics.Server // nil: there is no --metrics
}

// openMetrics lets others ask for the server's numbers, if the command line says where.
func (l *loop) openMetrics(o *config.Options) error {
	if o.Metrics == "" {
		return nil
	}
	address, err := metrics.Address(o.Metrics)
	if err == nil {
		l.watched, err = metrics.Listen(address)
	}
	if err != nil {
		return &config.Usage{Text: fmt.Sprintf("--metrics %s: %v", o.Metrics, err)}
	}
	l.term.Print(fmt.Sprintf("metrics at http://%s/metrics", l.watched.Addr()))
	return nil
}

func (m *measuring) closeMetrics() {
	if m.watched != nil {
		_ = m.watched.Close() // who asks is told by the end of the connection
	}
}

// scrapes is where requests for the numbers come from; nil if nobody can ask.
func (m *measuring) scrapes() <-chan *metrics.Request {
	if m.watched == nil {
		return nil
	}
	return m.watched.Requests()
}

// measure answers a request.
func (l *loop) measure(r *metrics.Request) {
	if r.Health {
		r.Answer("")
		return
	}
	r.Answer(l.metricsText())
}

func (l *loop) metricsText() string {
	s := l.sides[0]
	return metrics.Text(l.pulse, s.host, s.scripts)
}

// tick has the server do a tick and counts it.
func (l *loop) tick(s *side, now netcore.Time) {
	began := l.now()
	s.host.Tick(now)
	if s.host.IsServer() {
		l.pulse.Tick(began, l.now()-began)
	}
}

// metricsCommand is `metrics`.
func (l *loop) metricsCommand() console.Command {
	return console.Command{
		Name: "metrics", Help: "the server's numbers, in the text format of Prometheus (serve --metrics HOST:PORT serves them)",
		Run: func([]string) (string, error) { return l.metricsText(), nil },
	}
}
