package node

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/logs"
	"github.com/torc-engine/torc/node/internal/pulse"
)

// serverStatus is what the command status of a server shows. docs/server.md describes the JSON:
// scripts of operators read it, so its fields stay.
type serverStatus struct {
	engine.Status
	Version   string          `json:"version"`
	Protocol  uint32          `json:"protocol"`
	Addresses serverAddresses `json:"addresses"`
	Uptime    int             `json:"uptime_s"`
	Ticks     tickStatus      `json:"tick_time"`
	Memory    memoryStatus    `json:"memory"`
	Mods      []modStatus     `json:"mods"`
	Warnings  warningStatus   `json:"warnings"`
}

// serverAddresses are HOST:PORT; "" for each that is off.
type serverAddresses struct {
	Game    string `json:"game"`
	Metrics string `json:"metrics"`
	SSH     string `json:"ssh"`
	Web     string `json:"web"`
}

type tickStatus struct {
	P50     float64 `json:"p50_ms"` // of the newest 1,024 ticks
	P99     float64 `json:"p99_ms"`
	Late    uint64  `json:"late"`
	Skipped uint64  `json:"skipped"`
}

type memoryStatus struct {
	Total uint64 `json:"bytes"`
	Heap  uint64 `json:"heap_bytes"`
}

type modStatus struct {
	Name              string   `json:"name"`
	Version           string   `json:"version"`
	Faults            int      `json:"faults"`
	Suspended         string   `json:"suspended"` // why; "" if it is not
	SuspendedHandlers []string `json:"suspended_handlers"`
}

type warningStatus struct {
	Count  int            `json:"count"`
	Newest []logs.Warning `json:"newest"`
}

// statusOf returns a summary of a server.
func statusOf(s *Server) serverStatus {
	ticks, at := &s.core.Loop.Pulse, s.Addresses()
	now := serverStatus{
		Status: s.core.Side.Host.Status(), Version: cmp.Or(s.cfg.Version, "-"), Protocol: netcore.ProtocolVersion,
		Addresses: serverAddresses{addressText(at.Game), addressText(at.Metrics), addressText(at.SSH), addressText(at.Web)},
		Uptime:    int(s.core.Now() / time.Second),
		Ticks:     tickStatus{milliseconds(ticks.Quantile(0.5)), milliseconds(ticks.Quantile(0.99)), ticks.Late, ticks.Skipped},
		Mods:      []modStatus{},
	}
	now.Memory.Total, now.Memory.Heap = pulse.Memory()
	for _, m := range s.core.Side.Scripts.ModInfos() {
		of := s.core.Side.Scripts.Runtime.Mod(m.Name)
		one := modStatus{Name: m.Name, Version: m.Version, Faults: of.Faults(), Suspended: console.Clean(of.Suspended()), SuspendedHandlers: []string{}}
		for _, handler := range of.SuspendedHandlers() {
			one.SuspendedHandlers = append(one.SuspendedHandlers, console.Clean(handler))
		}
		now.Mods = append(now.Mods, one)
	}
	now.Warnings.Count, now.Warnings.Newest = s.core.Warned.List()
	for i := range now.Warnings.Newest {
		now.Warnings.Newest[i].Text = console.Clean(now.Warnings.Newest[i].Text)
	}
	return now
}

// addressText returns HOST:PORT, or "" without an address.
func addressText(a interface {
	IsValid() bool
	String() string
}) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}

// milliseconds returns a duration in ms with two decimals.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)/time.Microsecond) / 1000
}

// String returns the lines of the host, then those of the server.
func (s serverStatus) String() string {
	lines := []string{s.Status.String(), fmt.Sprintf("version %s, protocol %d", s.Version, s.Protocol)}
	for _, a := range []struct{ name, at string }{{"address", s.Addresses.Game}, {"metrics", s.Addresses.Metrics}, {"ssh", s.Addresses.SSH}, {"web", s.Addresses.Web}} {
		if a.at != "" {
			lines = append(lines, a.name+" "+a.at)
		}
	}
	const mib = 1 << 20
	lines = append(lines,
		fmt.Sprintf("uptime %v", time.Duration(s.Uptime)*time.Second),
		fmt.Sprintf("tick time p50 %.2f ms, p99 %.2f ms, %d late, %d skipped", s.Ticks.P50, s.Ticks.P99, s.Ticks.Late, s.Ticks.Skipped),
		fmt.Sprintf("memory %d MiB, heap %d MiB", s.Memory.Total/mib, s.Memory.Heap/mib))
	for _, m := range s.Mods {
		lines = append(lines, m.String())
	}
	lines = append(lines, fmt.Sprintf("warnings %d", s.Warnings.Count))
	for _, w := range s.Warnings.Newest {
		lines = append(lines, fmt.Sprintf("%s %s %s", w.Level, w.Time.Format(time.RFC3339), w.Text))
	}
	return strings.Join(lines, "\n")
}

func (m modStatus) String() string {
	text := fmt.Sprintf("mod %s %s", m.Name, m.Version)
	if m.Faults > 0 {
		text += fmt.Sprintf(", %d faults", m.Faults)
	}
	if m.Suspended != "" {
		text += ", suspended: " + m.Suspended
	}
	for _, handler := range m.SuspendedHandlers {
		text += ", suspended in " + handler
	}
	return text
}
