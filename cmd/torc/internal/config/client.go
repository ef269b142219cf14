package config

import (
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// Client is what torc join and torc swarm share.
type Client struct {
	Node
	Address   string // HOST:PORT, optionally with #KEY, or via:HOST:PORT#KEY, or the link of a page
	Args      []string
	Language  string // of the player
	AcceptKey string
	Bot       string // idle, wander or a Lua file, which is also in Scripts; "" is idle
	Timeout   time.Duration
}

func (o *Client) declare(s *flags.Set) {
	o.Node.declare(s, playerName(), nameHelp)
	s.Var(flags.List{To: &o.Args}, "arg", argHelp)
	o.Language = playerLanguage()
	s.Var(language{&o.Language}, "language", languageHelp)
	s.StringVar(&o.AcceptKey, "accept-key", "", "`KEY`: trust this server key from now on")
	s.Var(bot{&o.Bot, &o.Scripts}, "bot", "`idle|wander|FILE.lua`: source of the moves when no person plays")
	s.DurationVar(&o.Timeout, "timeout", 15*time.Second, "`DURATION`: how long to wait for the server's answer (15s)")
}

func (o *Client) check() error {
	if host, _, _ := strings.Cut(o.Address, "#"); host == "" || strings.LastIndex(host, ":") == 0 {
		return flags.Usagef("the address %q must be HOST[:PORT][#KEY], for example 127.0.0.1:28000", o.Address)
	}
	if o.Timeout <= 0 {
		return flags.Usagef("--timeout %v: must be more than 0, for example 15s", o.Timeout)
	}
	return nil
}

// role implements the optional method of options.
func (o *Client) role() string { return "client" }

// Join is the options of torc join.
type Join struct {
	Client
	Watch       bool
	Record      string // a new file for a demo; "" is none
	Capture     string // new file that gets the traffic; "" is none
	NoReconnect bool
}

func (o *Join) declare(s *flags.Set) {
	o.Client.declare(s)
	s.BoolVar(&o.Watch, "watch", false, "join as a spectator, who sees the game with a delay and takes no player's place")
	s.StringVar(&o.Record, "record", "", "`FILE`: record a demo of the game into this new file, for torc replay")
	s.StringVar(&o.Capture, "capture", "", "`FILE`: record all datagrams in this new file, with the keys of the session; torc dissect shows them")
	s.BoolVar(&o.NoReconnect, "no-reconnect", false, "end when the connection is lost, instead of coming back")
}

func (o *Join) take(words []string) ([]string, error) {
	return first(words, &o.Address, "torc join needs the server's address: torc join HOST[:PORT][#KEY]")
}

// Swarm is the options of torc swarm.
type Swarm struct {
	Client
	Count int           // clients
	For   time.Duration // 0: until stopped
}

func (o *Swarm) declare(s *flags.Set) {
	o.Client.declare(s)
	s.Var(flags.Count{To: &o.Count, Lo: 1, Hi: 10_000}, "count", "`N`: number of clients")
	s.DurationVar(&o.For, "for", 0, "`DURATION`: leave this long after all clients have joined; without it, stay until the server ends")
}

func (o *Swarm) take(words []string) ([]string, error) {
	return first(words, &o.Address, "torc swarm needs the server's address: torc swarm HOST[:PORT][#KEY]")
}

func (o *Swarm) check() error {
	if err := o.Client.check(); err != nil {
		return err
	}
	if o.Count == 0 {
		return flags.Usagef("torc swarm needs the number of clients: --count N")
	}
	if o.For < 0 {
		return flags.Usagef("--for %v: must be 0 or more, for example 10m", o.For)
	}
	return nil
}
