package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// DrainTime is how long a server drains if nobody says it, and MaxDrain is the most that can be
// said.
const (
	DrainTime = 5 * time.Minute
	MaxDrain  = 24 * time.Hour
)

// A Drain is the end of a server that takes nobody in any more, and waits until its players have
// gone. Its time passes with the ticks, as real time at their pace: a slow machine cuts it short
// for nobody, and a journal replays it.
type Drain struct {
	host  *Host
	on    bool
	told  bool          // scripts know
	taken bool          // scripts decide where the players go
	final bool          // it cannot be given up
	again bool          // the server starts again afterwards
	to    string        // the server to which all players go; "": scripts and the default decide
	age   time.Duration // since it began
	most  time.Duration // that it takes, as told last
	left  time.Duration // until it is over, whoever is there
	tries map[sim.ID]*onwardTries
	sent  map[string]int // how many players were ordered to a server, by its name
}

// Begin begins a drain of at most a time, or changes the time and the target of the one that runs.
// Bots leave at once, connect requests are refused, and a pause ends. to names the server for all
// players; "" leaves that to scripts and Config.Onward. final says that a signal begins it: Cancel
// cannot end it, and a signal names no server, so the one that was named before stays. Only a
// server drains, and none that a local client plays on.
func (d *Drain) Begin(most time.Duration, to string, final bool) error {
	h := d.host
	switch {
	case !canServe || !h.cfg.Server:
		return errors.New("only a server drains")
	case h.playedHere():
		return errors.New("the player of this machine cannot go to another server: type quit")
	}
	if to != "" {
		if _, err := d.onward(to, nil); err != nil {
			return err
		}
	}
	if !d.on {
		*d = Drain{host: h, on: true, tries: map[sim.ID]*onwardTries{}, sent: map[string]int{}}
		h.Pace.Pause(false)
		h.requests.refuseDeferred(DrainText)
		for _, c := range h.conns {
			if c.bot {
				c.Disconnect(DrainText)
			}
		}
	}
	d.most, d.left = most, most
	if to != "" || !final {
		d.to = to
	}
	d.final = d.final || final
	h.cfg.Log.Info("draining", "players", h.Summary().Players, "most", most.String(), "tick", h.tick)
	return nil
}

// playedHere reports whether a local client plays on this server.
func (h *Host) playedHere() bool {
	for _, c := range h.conns {
		if c.inbound && c.Line.from.Kind == netcore.AddrLocal {
			return true
		}
	}
	return false
}

// Cancel gives a drain up: the server takes players in again.
func (d *Drain) Cancel() error {
	switch {
	case !d.on:
		return errors.New("the server does not drain")
	case d.final:
		return errors.New("a signal has told the server to end: this drain cannot be given up")
	}
	*d = Drain{host: d.host}
	d.host.cfg.Log.Info("the drain is given up", "tick", d.host.tick)
	return nil
}

// On reports whether the server drains.
func (d *Drain) On() bool { return d.on }

// Left returns how long the drain can still take.
func (d *Drain) Left() time.Duration { return d.left }

// Again reports whether the server starts again afterwards.
func (d *Drain) Again() bool { return d.again }

// Restart makes the server start again after the drain. It reports whether that is news: a server
// that does not drain, and one that knows it, can restart at once.
func (d *Drain) Restart() bool {
	news := d.on && !d.again
	d.again = d.again || news
	return news
}

// restartTime is how long a drain without players waits for the command restart, which people type
// after the command drain. A signal is not followed by one.
const restartTime = 3 * time.Second

// Over reports whether the drain has come to its end: no player is left, or no time.
func (d *Drain) Over() bool {
	switch {
	case !d.on || !d.told:
		return false
	case d.left <= 0:
		return true
	}
	return d.host.Summary().Players == 0 && (d.again || d.final || d.age >= restartTime)
}

// step is the part of a drain in a tick.
func (d *Drain) step() {
	if !canServe || !d.on {
		return
	}
	h := d.host
	if !d.told {
		d.told = true
		d.taken = h.scripts.Drain(d.left)
	}
	d.sendOn()
	passed := h.Pace.TickLength()
	d.age += passed
	d.left = max(d.left-passed, 0)
}

// command is `drain`.
func (d *Drain) command(args []string) (string, error) {
	if len(args) == 1 && args[0] == "off" {
		if err := d.Cancel(); err != nil {
			return "", err
		}
		return "the server takes players in again", nil
	}
	most, rest, err := drainTime(args)
	if err != nil {
		return "", err
	}
	if len(rest) > 1 {
		return "", errors.New("usage: drain [TIME] [SERVER], or drain off")
	}
	if err := d.Begin(most, strings.Join(rest, ""), false); err != nil {
		return "", err
	}
	return d.String(), nil
}

// drainTime reads the time at the start of the arguments: a duration, or seconds. Without one it is
// DrainTime, and a name that begins with a digit is no time.
func drainTime(args []string) (most time.Duration, rest []string, err error) {
	if len(args) == 0 {
		return DrainTime, nil, nil
	}
	if most, err = time.ParseDuration(args[0]); err != nil {
		most, err = time.ParseDuration(args[0] + "s")
	}
	switch {
	case err != nil:
		return DrainTime, args, nil
	case most < time.Second || most > MaxDrain:
		return 0, nil, fmt.Errorf("drain %s: the time must be 1s to %v (drain off gives a drain up; restart and quit end the server at once)", args[0], MaxDrain)
	}
	return most, args[1:], nil
}

// String describes a drain in a line, for people.
func (d *Drain) String() string { return d.status().String() }

// status describes a drain; nil if the server does not drain.
func (d *Drain) status() *DrainStatus {
	if !d.on {
		return nil
	}
	return &DrainStatus{d.host.Summary().Players, int((d.left + time.Second - 1) / time.Second), d.again}
}

// A DrainStatus is how far a server is that drains.
type DrainStatus struct {
	Players int  `json:"players"` // people who are still here
	Seconds int  `json:"seconds"` // until it is over at the latest
	Restart bool `json:"restart"` // the server starts again afterwards
}

// String describes a drain in a line, for people.
func (s *DrainStatus) String() string {
	end := "ends"
	if s.Restart {
		end = "starts again"
	}
	who := fmt.Sprintf("%d players are", s.Players)
	if s.Players == 1 {
		who = "1 player is"
	}
	return fmt.Sprintf("draining, %s left, %s in %d s at the latest", who, end, s.Seconds)
}
