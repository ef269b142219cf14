package node

import (
	"net/netip"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/node/internal/metrics"
)

// MetricsAddr is where the metrics are served; the zero value if they are not.
func (s *Server) MetricsAddr() netip.AddrPort {
	if s.metrics == nil {
		return netip.AddrPort{}
	}
	return s.metrics.addr()
}

func (s *Server) metricsText() string {
	return metrics.Text(s.loop.pulse, s.side.host, s.side.scripts)
}

func (s *Server) metricsCommand() console.Command {
	return console.Command{
		Name: "metrics", Help: "the server's numbers, in the text format of Prometheus (serve --metrics HOST:PORT serves them)",
		Run: func([]string) (string, error) { return s.metricsText(), nil },
	}
}
