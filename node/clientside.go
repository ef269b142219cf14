package node

import (
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
)

// maxHeld is how many outputs and messages of a side wait until it plays. The oldest ones stay: a
// server greets first.
const maxHeld = 64

// lasting begins an effect that stays until the next one: the menu of lines that players say. All
// others are of a moment, and a side that does not play has none.
const lasting = "voices "

// A clientSide is one side of a client: its half of a game at one server. One of them plays, and
// only that one reaches the program. Another one can join a server meanwhile. It keeps what it
// would show until it plays.
type clientSide struct {
	*core.Side
	client *Client
	hud    [script.HudLines + 1]string // by line
	held   []func()                    // what the program is shown when the side plays
}

// newSide makes a side without mods.
func (c *Client) newSide(cfg engine.Config) (s *clientSide, err error) {
	s = &clientSide{client: c}
	s.report(&cfg)
	if s.Side, err = core.NewSide("client", c.cfg.Common, cfg, c.core.From, s.print, c.core.Log); err != nil {
		return nil, err
	}
	if c.core.Side == nil {
		c.core.Side = s.Side
	}
	if err := s.Register([]console.Command{core.QuitCommand(c.core.Owner)}); err != nil {
		return nil, err
	}
	if err := core.Registered(s.Console, c.finds, c.demos); err != nil {
		return nil, err
	}
	if c.follow != nil {
		if err := core.Registered(s.Console, c.follow); err != nil {
			return nil, err
		}
	}
	setup := script.Setup{Hud: s.setHud}
	if f := c.cfg.Client.Message; f != nil {
		setup.Message = func(kind, text string) { s.show(func() { f(kind, text) }) }
	}
	if f := c.cfg.Client.Effect; f != nil {
		setup.Effect = func(kind string) {
			if s.plays() || strings.HasPrefix(kind, lasting) {
				s.show(func() { f(kind) })
			}
		}
	}
	return s, s.AddScripts(setup)
}

// report sets what the host of the side tells the client and its program.
func (s *clientSide) report(cfg *engine.Config) {
	c := s.client
	cfg.Entered = whilePlaying(s, c.entered)
	cfg.Ended = func(conn *engine.Connection, reason string) {
		switch {
		case s.plays():
			c.ended(conn, reason)
		case !s.Left:
			c.follow.Failed(s.Side, reason)
		}
	}
	cfg.Failed = func(address string, r netcore.Reason) {
		switch {
		case s.plays():
			c.failed(address, r)
		case !s.Left:
			c.follow.Failed(s.Side, r.String())
		}
	}
	program := &c.cfg.Client
	cfg.Heard = whilePlaying(s, program.VoiceIn)
	if f := program.VoiceOut; f != nil {
		cfg.Speak = func() []engine.Speech {
			if !s.plays() {
				return nil
			}
			return f()
		}
	}
	cfg.VoiceRules = ofConnection(whilePlaying(s, program.VoiceRules))
	cfg.Binds = ofConnection(whilePlaying(s, program.Binds))
	cfg.Forms = ofConnection(whilePlaying(s, c.showForms))
	cfg.Elements = ofConnection(whilePlaying(s, program.Elements))
	if c.follow != nil {
		cfg.Transfer = c.follow.Order
	}
}

// whilePlaying returns f for a side: it does nothing while another side plays. nil stays nil.
func whilePlaying[T any](s *clientSide, f func(T)) func(T) {
	if f == nil {
		return nil
	}
	return func(v T) {
		if s.plays() {
			f(v)
		}
	}
}

// ofConnection returns f as a function that also gets a connection, which f does not need. nil
// stays nil.
func ofConnection[T any](f func(T)) func(*engine.Connection, T) {
	if f == nil {
		return nil
	}
	return func(_ *engine.Connection, v T) { f(v) }
}

// plays reports whether the side is the one that plays. The first one plays from its beginning.
func (s *clientSide) plays() bool { return s.client.playing == s || s.client.playing == nil }

// show runs what shows something, now or when the side plays. A side that has left shows nothing.
func (s *clientSide) show(f func()) {
	switch {
	case s.plays():
		f()
	case s.Side != nil && s.Left, len(s.held) == maxHeld:
	default:
		s.held = append(s.held, f)
	}
}

// print passes on output of the console.
func (s *clientSide) print(text string) { s.show(func() { s.client.core.Print(text) }) }

// setHud sets a line of the HUD.
func (s *clientSide) setHud(line int, text string) {
	s.hud[line] = text
	if s.plays() {
		s.client.hud(line, text)
	}
}

// appear shows the program what the side has, when it plays from now on. before is the side that
// has played.
func (s *clientSide) appear(before *clientSide) {
	cfg := &s.client.cfg.Client
	for line := range s.hud {
		if s.hud[line] != before.hud[line] {
			s.client.hud(line, s.hud[line])
		}
	}
	if cfg.VoiceOut != nil {
		cfg.VoiceOut() // the player said it to the server before
	}
	server := s.Host.Server()
	if cfg.VoiceRules != nil {
		cfg.VoiceRules(server.Voice().Rules())
	}
	if cfg.Binds != nil {
		cfg.Binds(server.Binds().Told())
	}
	if cfg.Elements != nil {
		cfg.Elements(server.Forms().Elements())
	}
	s.client.showForms(server.Forms().Shown())
	for _, f := range s.held {
		f()
	}
	s.held = nil
}

// showForms passes the open forms to the program. Without one it prints the newest, when it is
// complete.
func (c *Client) showForms(shown []*form.Form) {
	if f := c.cfg.Client.Forms; f != nil {
		f(shown)
		return
	}
	server := c.Host().Server()
	if server == nil {
		return
	}
	if lines := c.teller.News(server.Forms().Desk()); lines != nil {
		c.core.Print(strings.Join(lines, "\n"))
	}
}
