package engine

import (
	"errors"
	"fmt"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
)

// Bind registers the host's variables and commands with the console.
func (h *Host) Bind(c *console.Console) error {
	s := &h.Settings
	vars := []console.Var{
		{Name: "net.rate", Help: "packets per second this side can receive; auto is what the line carries", Value: h.onSet(console.FloatOr(&s.Rate, 1, netcore.MaxRate, "auto", netcore.Auto))},
		{Name: "net.size", Help: "bytes of UDP payload this side can receive", Value: h.onSet(console.Int(&s.Size, 100, netcore.MaxDatagram))},
		{Name: "net.profile", Help: "auto (what the line carries), modem (10 x 200, 5 packets carry each move), dsl (20 x 450) or lan (31.25 x 1,200); custom is any other net.rate, net.size and net.moves", Value: console.Func(s.profile, h.setProfile)},
		{Name: "sv.maxRate", Help: "maximum packets per second to one peer; auto is what the line carries", Value: h.onSet(console.FloatOr(&s.MaxRate, 1, netcore.MaxRate, "auto", netcore.Auto))},
		{Name: "sv.maxSize", Help: "maximum bytes of UDP payload to one peer", Value: h.onSet(console.Int(&s.MaxSize, 100, netcore.MaxDatagram))},
		{Name: "sv.bandwidth", Help: "maximum kbit/s to all peers together, IP and UDP headers included; 0 is no limit", Value: h.onSet(console.Float(&s.Bandwidth, 0, 1e7))},
		{Name: "sv.timeScale", Help: "speed of game time, 0.1 to 4; the clients follow", Value: h.onSet(console.Float(&s.TimeScale, minPace/100.0, maxPace/100.0))},
		{Name: "sv.maxWatchers", Help: "places for spectators; 0 records nothing for them", Value: console.Int(&s.MaxWatchers, 0, 1000)},
		{Name: "sv.watchDelay", Help: "seconds that spectators are behind the game", Value: console.Float(&s.WatchDelay, 0, 600)},
		{Name: "sv.voice", Help: "who hears the voices of players: off, proximity (players near the talker), team (and the talker's team), all (and everybody), or mod (onVoice of a mod decides)", Value: h.Voices.onSet(console.Enum(&s.Voice, voice.ModeNames[:]...))},
		{Name: "sv.voiceJournal", Help: "lets players talk although a journal records all that they say; every player is told", Value: h.Voices.onSet(console.Bool(&s.VoiceJournal))},
		{Name: "sv.voiceDemo", Help: "records voices for demos and spectators; every player is told", Value: h.Voices.onSet(console.Bool(&s.VoiceDemo))},
		{Name: "sv.addressLimit", Help: "maximum connections of one address; above 8 its other limits rise in proportion", Value: h.onSet(console.Int(&s.AddressLimit, 1, 10_000))},
		{Name: "sv.addressAllow", Help: "addresses and networks without limits by address, as in \"10.0.0.0/8 192.0.2.7\"", Value: h.onSet(console.Networks(&s.AddressAllow))},
		{Name: "net.timeout", Help: "seconds of silence that end a connection", Value: h.onSet(console.Float(&s.Timeout, 1, 3600))},
		{Name: "net.check", Help: "adds check marks to packets, which locate encoding differences; applies to new connections", Value: h.onSet(console.Bool(&s.Check))},
		{Name: "net.log", Help: "network log: 0 off, 1 connections, 2 packets, 3 events and ghosts", Value: h.onSet(console.Int(&s.Log, 0, 3))},
		{Name: "net.control", Help: "sends control state on mismatch or always", Value: console.Enum(&s.Control, "mismatch", "always")},
		{Name: "net.limitLoopback", Help: "applies the limits by address to 127.0.0.0/8 and ::1 too", Value: h.onSet(console.Bool(&s.LimitLoopback))},
		{Name: "net.moves", Help: "number of packets that carry each move; auto is what the packet loss needs, 0 means until acknowledged", Value: console.IntOr(&s.Moves, 0, 30, "auto", AutoMoves)},
	}
	for _, v := range vars {
		if err := c.Bind(v); err != nil {
			return err
		}
	}
	return h.bindCommands(c)
}

// onSet applies the settings after v has been set.
func (h *Host) onSet(v console.VarValue) console.VarValue {
	return console.Hook(v, func() error { h.Apply(); return nil })
}

func (h *Host) setProfile(name string) error {
	p, ok := profiles[name]
	switch {
	case name == customProfile:
		return nil // a saved file has the values themselves, too
	case !ok:
		return fmt.Errorf("net.profile must be auto, modem, dsl or lan, got %q", name)
	}
	s := &h.Settings
	s.Rate, s.Size, s.Moves = p.rate.Packets, p.rate.Size, p.moves
	h.Apply()
	return nil
}

// bindCommands registers the commands that need no script.
func (h *Host) bindCommands(c *console.Console) error {
	commands := []console.Command{
		console.Report("players", "lists the players: ID NAME ADDRESS PING LOSS PHASE; or as JSON", func() (fmt.Stringer, error) { return playersOf(h) }),
		console.Report("status", "shows a summary of this host, as lines or as JSON", func() (fmt.Stringer, error) { return h.Status(), nil }),
		console.Report("voice", "lists who talks: ID NAME speaking|silent BYTES/S; or as JSON", h.Voices.report),
		{Name: "pause", Params: "[on|off]", Help: "stops the game, or lets it go on; the players stay connected", Run: h.Pace.command},
		{Name: "drain", Params: "[TIME] [SERVER]|off", Help: "takes nobody in, sends the players on, and ends the server when nobody is left or after TIME (5m)", Run: h.Drain.command},
		{Name: "connect", Params: "HOST:PORT[#KEY]|LINK", Help: "connects to a server, also by the link of its page", Run: h.Dialer.connectCommand},
		{Name: "disconnect", Params: "[REASON]", Help: "disconnects from the server", Run: h.Dialer.disconnectCommand},
		{Name: "reconnect", Help: "connects to the last server again", Run: h.Dialer.reconnectCommand},
	}
	for _, cmd := range commands {
		if err := c.Register(cmd); err != nil {
			return err
		}
	}
	return h.Inspector.bind(c)
}

func (d *Dialer) connectCommand(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: connect HOST:PORT[#KEY], or the link of the server's page")
	}
	return "", d.Connect(args[0], d.lastArgs)
}

func (d *Dialer) disconnectCommand(args []string) (string, error) {
	return "", d.Disconnect(joinWords(args))
}

func (d *Dialer) reconnectCommand([]string) (string, error) { return "", d.Reconnect() }

// LastAddress returns the address of the last connect, with the key that it named.
func (d *Dialer) LastAddress() string { return d.lastAddress }

// Reconnect connects to the last server again.
func (d *Dialer) Reconnect() error {
	if d.lastAddress == "" {
		return errors.New("cannot reconnect: no previous connect")
	}
	return d.begin(d.lastAddress, d.lastArgs, d.watches)
}
