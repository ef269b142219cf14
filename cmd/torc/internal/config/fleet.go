package config

import (
	"os"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/node/natsfleet"
)

// Fleet says how a fleet is reached.
type Fleet struct{ natsfleet.Config }

func (o *Fleet) declare(s *flags.Set) {
	s.Var(flags.List{To: &o.URLs, Sep: ","}, "fleet", "`URL`: join the servers of a fleet, at NATS servers with JetStream: tls://HOST:PORT, or nats:// on this machine (repeatable)")
	s.StringVar(&o.Creds, "fleet-creds", "", "`FILE`: credentials for NATS, which only you can read")
	s.StringVar(&o.Prefix, "fleet-prefix", "", "`WORD`: tells several fleets apart in one NATS (torc)")
	s.BoolVar(&o.Plain, "fleet-plain", false, "allow nats:// to other machines, which encrypts nothing")
}

func (o *Fleet) check() error {
	if len(o.URLs) == 0 {
		if o.Creds != "" || o.Plain {
			return flags.Usagef("--fleet-creds and --fleet-plain need --fleet URL")
		}
		return nil
	}
	if err := o.Check(); err != nil {
		return flags.Usagef("--fleet: %v", err)
	}
	return nil
}

// hostName returns the first part of the name of this machine, as the name of a server.
func hostName() string {
	name, _ := os.Hostname() // without one, the name is refused
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, name)
	return name[:min(len(name), 32)]
}

// FleetLook is the options of torc fleet.
type FleetLook struct {
	Fleet
	JSON    bool
	What    []string // nothing, or targets
	Restore []string // files fleet.db for a fleet that has lost its values
}

func (o *FleetLook) declare(s *flags.Set) {
	o.Fleet.declare(s)
	s.BoolVar(&o.JSON, "json", false, "print the list as JSON, in one line")
}

func (o *FleetLook) take(words []string) ([]string, error) {
	switch {
	case len(words) > 0 && words[0] == "targets":
		o.What, words = words[:1], words[1:]
	case len(words) > 1 && words[0] == "restore":
		o.Restore, words = words[1:], nil
	case len(words) == 1 && words[0] == "restore":
		return words, flags.Usagef("torc fleet restore needs the files of servers: torc fleet restore FILE… --fleet URL")
	}
	return words, nil
}

func (o *FleetLook) check() error {
	if len(o.URLs) == 0 {
		return flags.Usagef("torc fleet needs NATS servers: torc fleet --fleet URL")
	}
	return o.Fleet.check()
}

// Args are those of the console command fleet.
func (o *FleetLook) Args() []string {
	if o.JSON {
		return append(o.What, "--json")
	}
	return o.What
}
