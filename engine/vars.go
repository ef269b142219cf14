package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
)

// A profile is a named connection speed: a receive rate, and the number of packets that carry each
// move. A slow profile has several moves per packet. More copies of each then cost little, and
// protect against bursts of packet loss.
type profile struct {
	rate  netcore.Rate
	moves int
}

var profiles = map[string]profile{
	"auto":  {netcore.Rate{Packets: netcore.Auto, Size: netcore.MaxDatagram}, 3},
	"modem": {netcore.Rate{Packets: 10, Size: 200}, 5},
	"dsl":   {netcore.Rate{Packets: 20, Size: 450}, 3},
	"lan":   {netcore.Rate{Packets: 31.25, Size: netcore.BaseDatagram}, 3},
}

// Settings are a host's console variables. A changed rate reaches the peers with the next packet.
// net.check is fixed when a connection begins.
type Settings struct {
	Rate      float64 // net.rate: packets per second that this side can receive; netcore.Auto is no limit
	Size      int     // net.size: bytes of UDP payload that it can receive
	Profile   string  // net.profile: sets net.rate, net.size and net.moves by name
	MaxRate   float64 // sv.maxRate: highest send rate to one peer, in packets per second
	MaxSize   int     // sv.maxSize: largest packet to one peer, in bytes of UDP payload
	Bandwidth float64 // sv.bandwidth: highest rate to all peers together, in kbit/s with IP and UDP headers; 0: no limit
	Timeout   float64 // net.timeout: seconds without a packet that end a connection
	Check     bool    // net.check: markers in packets that locate a difference between the two sides
	Log       int     // net.log: 0…3
	Control   string  // net.control: when to send control state
	Moves     int     // net.moves: packets that carry each move; 0: until acknowledged

	LimitLoopback bool // net.limitLoopback: the limits by address apply to loopback addresses too
}

// DefaultSettings returns the defaults: as many packets as the line carries, at a size that every path
// can carry.
func DefaultSettings() Settings {
	return Settings{
		Rate: netcore.Auto, Size: netcore.MaxDatagram, Profile: "auto",
		MaxRate: 1250, MaxSize: netcore.MaxDatagram,
		Timeout: 45, Control: "mismatch", Moves: 3,
	}
}

// Bind registers the host's variables and commands with the console.
func (h *Host) Bind(c *console.Console) error {
	s := &h.Settings
	vars := []console.Var{
		{Name: "net.rate", Help: "packets per second this side can receive; auto is what the line carries", Value: h.onSet(console.FloatOr(&s.Rate, 1, netcore.MaxRate, "auto", netcore.Auto))},
		{Name: "net.size", Help: "bytes of UDP payload this side can receive", Value: h.onSet(console.Int(&s.Size, 100, netcore.MaxDatagram))},
		{Name: "net.profile", Help: "auto (what the line carries), modem (10 x 200, 5 packets carry each move), dsl (20 x 450) or lan (31.25 x 1,200)", Value: console.Func(func() string { return s.Profile }, h.setProfile)},
		{Name: "sv.maxRate", Help: "maximum packets per second to one peer", Value: h.onSet(console.Float(&s.MaxRate, 1, netcore.MaxRate))},
		{Name: "sv.maxSize", Help: "maximum bytes of UDP payload to one peer", Value: h.onSet(console.Int(&s.MaxSize, 100, netcore.MaxDatagram))},
		{Name: "sv.bandwidth", Help: "maximum kbit/s to all peers together, IP and UDP headers included; 0 is no limit", Value: h.onSet(console.Float(&s.Bandwidth, 0, 1e7))},
		{Name: "net.timeout", Help: "seconds of silence that end a connection", Value: h.onSet(console.Float(&s.Timeout, 1, 3600))},
		{Name: "net.check", Help: "adds check marks to packets, which locate encoding differences; applies to new connections", Value: h.onSet(console.Bool(&s.Check))},
		{Name: "net.log", Help: "network log: 0 off, 1 connections, 2 packets, 3 events and ghosts", Value: h.onSet(console.Int(&s.Log, 0, 3))},
		{Name: "net.control", Help: "sends control state on mismatch or always", Value: console.Enum(&s.Control, "mismatch", "always")},
		{Name: "net.limitLoopback", Help: "applies the limits by address to 127.0.0.0/8 and ::1 too", Value: h.onSet(console.Bool(&s.LimitLoopback))},
		{Name: "net.moves", Help: "number of packets that carry each move; 0 means until acknowledged", Value: console.Int(&s.Moves, 0, 30)},
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
	if !ok {
		return fmt.Errorf("net.profile must be auto, modem, dsl or lan, got %q", name)
	}
	s := &h.Settings
	s.Profile, s.Rate, s.Size, s.Moves = name, p.rate.Packets, p.rate.Size, p.moves
	h.Apply()
	return nil
}

// Apply passes the settings to the endpoint and to every connection.
func (h *Host) Apply() {
	s := &h.Settings
	receive := netcore.Rate{Packets: s.Rate, Size: s.Size}
	send := netcore.Rate{Packets: s.MaxRate, Size: s.MaxSize}
	h.netLog.Level = s.Log
	h.guesses.limits = netcore.Limits{Loopback: s.LimitLoopback}
	h.endpoint.SetLimits(h.guesses.limits)
	h.endpoint.Configure(receive, send, time.Duration(s.Timeout*float64(time.Second)), s.Check)
	h.endpoint.SetBandwidth(s.Bandwidth * 1000 / 8)
	for _, c := range h.conns {
		c.applyRates()
	}
}

// bindCommands registers the commands that need no script.
func (h *Host) bindCommands(c *console.Console) error {
	commands := []console.Command{
		{Name: "players", Help: "lists the players: ID NAME ADDRESS PING LOSS PHASE", Run: h.players},
		{Name: "status", Help: "shows a summary of this host", Run: func([]string) (string, error) { return h.status(), nil }},
		{Name: "connect", Params: "HOST:PORT[#KEY]", Help: "connects to a server", Run: h.connectCommand},
		{Name: "disconnect", Params: "[REASON]", Help: "disconnects from the server", Run: h.disconnectCommand},
		{Name: "reconnect", Help: "connects to the last server again", Run: h.reconnectCommand},
	}
	for _, cmd := range commands {
		if err := c.Register(cmd); err != nil {
			return err
		}
	}
	return h.bindGhostCommands(c)
}

func (h *Host) connectCommand(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: connect HOST:PORT[#KEY]")
	}
	return "", h.Connect(args[0], h.lastArgs)
}

func (h *Host) disconnectCommand(args []string) (string, error) {
	return "", h.Disconnect(joinWords(args))
}

func (h *Host) reconnectCommand([]string) (string, error) { return "", h.Reconnect() }

// LastAddress returns the address of the last connect, with the key that it named.
func (h *Host) LastAddress() string { return h.lastAddress }

// Reconnect connects to the last server again.
func (h *Host) Reconnect() error {
	if h.lastAddress == "" {
		return errors.New("cannot reconnect: no previous connect")
	}
	return h.Connect(h.lastAddress, h.lastArgs)
}
