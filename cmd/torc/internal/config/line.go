package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// Line describes a bad line: the flags of torc relay.
type Line struct {
	Rate          float64 // bits/s in each direction; 0 is unlimited
	Queue         time.Duration
	Delay, Jitter time.Duration // in each direction
	Loss          float64       // 0…1, in each direction
	Size          int           // of the largest datagrams, in bytes; 0 is no limit
	Dead          string        // none, up (to the server), down or both
}

func (l *Line) declare(s *flags.Set) {
	*l = Line{Queue: 100 * time.Millisecond, Dead: "none"}
	s.Var(bitRate{&l.Rate}, "rate", "`BITS`: capacity in bits per second in each direction, for example 256k or 2M; 0 is unlimited (0)")
	s.Var(interval{&l.Queue}, "queue", "`DURATION`: time that the line takes to send a full queue (100ms)")
	s.Var(interval{&l.Delay}, "delay", "`DURATION`: delay in each direction (0s)")
	s.Var(interval{&l.Jitter}, "jitter", "`DURATION`: most additional random delay (0s)")
	s.Var(share{&l.Loss}, "loss", "`PERCENT`: datagrams that are lost at random (0)")
	s.Var(flags.Count{To: &l.Size, Lo: 0, Hi: 65535}, "size", "`BYTES`: drop larger datagrams; 0 drops none (0)")
	s.Var(flags.Choice{To: &l.Dead, Of: []string{"none", "up", "down", "both"}}, "dead", "`none|up|down|both`: directions in which nothing arrives; up is to the server (none)")
}

// Change sets a property of the line: the name of a flag without dashes, and its value.
func (l *Line) Change(name, value string) error {
	changed := *l
	set := flags.New("torc relay")
	changed.declare(set)
	changed = *l
	if set.Lookup(name) == nil {
		return fmt.Errorf("no property %q; there are %s", name, strings.Join(set.Names(), ", "))
	}
	if err := set.Set(name, value); err != nil {
		return fmt.Errorf("%s %q: %w", name, value, err)
	}
	*l = changed
	return nil
}

// String describes the line.
func (l *Line) String() string {
	rate := "unlimited"
	if l.Rate > 0 {
		rate = fmt.Sprintf("%g kbit/s", l.Rate/1e3)
	}
	return fmt.Sprintf("rate %s, queue %v, delay %v, jitter %v, loss %g%%, size %d, dead %s",
		rate, l.Queue, l.Delay, l.Jitter, math.Round(l.Loss*1e4)/100, l.Size, l.Dead)
}

// bitRate is a number of bits per second with k or M.
type bitRate struct{ to *float64 }

func (b bitRate) String() string { return "" }
func (b bitRate) Set(s string) error {
	digits, unit := s, 1.
	if i := strings.IndexAny(s, "kKM"); i >= 0 && i == len(s)-1 {
		digits, unit = s[:i], map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6}[s[i]]
	}
	v, err := strconv.ParseFloat(digits, 64)
	if v *= unit; err != nil || v != 0 && !(v >= 1000 && v <= 1e9) {
		return errors.New("must be 0, or 1k to 1000M bits per second")
	}
	*b.to = v
	return nil
}

// interval is a time of at most a minute.
type interval struct{ to *time.Duration }

func (i interval) String() string { return "" }
func (i interval) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > time.Minute {
		return errors.New("must be a duration from 0s to 1m, for example 40ms")
	}
	*i.to = d
	return nil
}

// share is a percentage, kept as 0…1.
type share struct{ to *float64 }

func (p share) String() string { return "" }
func (p share) Set(s string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return errors.New("must be a percentage from 0 to 100")
	}
	*p.to = v / 100
	return nil
}
