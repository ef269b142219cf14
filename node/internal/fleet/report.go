package fleet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script"
)

// A Report lists the servers that a server knows, or those of a fleet.
type Report struct {
	Line    string `json:"line,omitempty"` // to the fleet: up or down; "" without one
	Sync    string `json:"sync,omitempty"` // as in bus.Line
	Servers []Row  `json:"servers"`
}

// A Row is a server of a Report.
type Row struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	State   string `json:"state"`
	Players int    `json:"players"`
	Max     int    `json:"max"`
	Free    int    `json:"free"`
	Mission string `json:"mission"`
	Title   string `json:"title"`
	Ping    int    `json:"ping,omitempty"` // in ms
	Web     string `json:"web,omitempty"`
	Metrics string `json:"metrics,omitempty"`
	Key     string `json:"key,omitempty"`
}

// rowOf returns the row of a server of a fleet.
func rowOf(s *bus.Server) Row {
	return Row{
		Name: s.Name, Address: s.Address, State: stateOf(s.Draining), Players: s.Players, Max: s.Max, Free: max(s.Max-s.Players-s.Bots, 0),
		Mission: s.Mission, Title: s.Title, Web: s.Web, Metrics: s.Metrics, Key: s.Key.String(),
	}
}

// ReportOf returns the servers of a fleet, as somebody sees them who is none. Their texts are
// cleaned.
func ReportOf(list []bus.Server) Report {
	r := Report{Servers: []Row{}}
	for _, s := range list {
		if names.Server(s.Name) && validAddress(s.Address) && plain(s.Address) && len(r.Servers) < maxServers {
			s = cleaned(s)
			r.Servers = append(r.Servers, rowOf(&s))
		}
	}
	return r
}

// report lists this server, then the others.
func (s *Service) report() Report {
	r := Report{Servers: []Row{s.rowOfSelf()}}
	if s.joined() {
		r.Line, r.Sync = map[bool]string{true: "up", false: "down"}[s.up], s.sync
	}
	for i := range s.known {
		r.Servers = append(r.Servers, s.rowOfKnown(&s.known[i]))
	}
	return r
}

// rowOfSelf returns the row of this server.
func (s *Service) rowOfSelf() Row {
	if s.joined() {
		self := s.self()
		return rowOf(&self)
	}
	row := s.rowOfKnown(&s.Servers()[0])
	row.Key = s.opts.Own.Public.String()
	if at := s.opts.Addresses().Game; at.IsValid() {
		row.Address = s.opts.Reached(at)
	}
	return row
}

// rowOfKnown returns the row of another server.
func (s *Service) rowOfKnown(f *script.FleetServer) Row {
	row := Row{Name: f.Name, Address: f.Address, State: f.State, Players: f.Players, Max: f.Max, Free: f.Free, Mission: f.Mission, Title: f.Title, Ping: f.Ping}
	if o, known := s.Peer(f.Name); known {
		row.Key = o.Key.String()
		if p := s.presence.keyed(o.Key); p != nil {
			row.Web, row.Metrics = p.Web, p.Metrics
		}
	}
	return row
}

// String returns a table.
func (r Report) String() string {
	lines := []string{fmt.Sprintf("%-20s %-24s %-9s %9s %5s  %s", "NAME", "ADDRESS", "STATE", "PLAYERS", "PING", "MISSION")}
	for _, s := range r.Servers {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-20s %-24s %-9s %9s %5d  %s", cmp.Or(s.Name, "(this server)"), s.Address, s.State, fmt.Sprintf("%d/%d", s.Players, s.Max), s.Ping, cmp.Or(s.Mission, "no mission")), " "))
	}
	if r.Line == "down" {
		lines = append(lines, "the line to the fleet is down: this list is old")
	}
	switch {
	case r.Line == "up" && r.Sync == "":
		lines = append(lines, "durability unknown: the fleet does not tell when a value is on its disks")
	case r.Line == "up" && r.Sync != "always":
		lines = append(lines, "a value is on the disks of the fleet "+r.Sync+" after its acknowledgement: set sync_interval to always")
	}
	return strings.Join(lines, "\n")
}

// A target is what Prometheus scrapes, in a file of its file_sd.
type target struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// Targets returns the servers with metrics, for Prometheus.
func (r Report) Targets() string {
	list := []target{}
	for _, s := range r.Servers {
		if s.Metrics != "" {
			list = append(list, target{[]string{s.Metrics}, map[string]string{"server": s.Name}})
		}
	}
	return asJSON(list)
}

func asJSON(v any) string {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	_ = to.Encode(v) // it has only texts and numbers
	return strings.TrimSuffix(b.String(), "\n")
}

// Print returns a report as the command fleet does: a table, --json, or targets.
func (r Report) Print(args []string) (string, error) {
	switch {
	case len(args) == 0:
		return r.String(), nil
	case len(args) == 1 && args[0] == "--json":
		return asJSON(r), nil
	case len(args) == 1 && args[0] == "targets":
		return r.Targets(), nil
	}
	return "", errors.New("usage: fleet [--json|targets]")
}

// command is the command fleet.
func (s *Service) command() console.Command {
	return console.Command{
		Name: "fleet", Params: "[--json|targets]", Help: "lists the other servers; targets are those with metrics, for the file_sd of Prometheus",
		Run: func(args []string) (string, error) { return s.report().Print(args) },
		Complete: func(args []string) (list []string) {
			for _, word := range []string{"--json", "targets"} {
				if len(args) == 1 && strings.HasPrefix(word, args[0]) {
					list = append(list, word)
				}
			}
			return list
		},
	}
}

// Metrics returns the numbers of the line to the fleet, in the text format of Prometheus.
func (s *Service) Metrics() string {
	if !s.joined() {
		return ""
	}
	return fmt.Sprintf("# TYPE torc_fleet_connected gauge\ntorc_fleet_connected %d\n", map[bool]int{true: 1}[s.up]) + s.talk.metrics()
}
