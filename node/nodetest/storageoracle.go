package nodetest

import (
	"fmt"
	"maps"
	"slices"
)

// storageOracle checks that stored values survive as acknowledged. It only reads the lines of the
// mod.
type storageOracle struct {
	keys    map[string]*history
	has     map[string]int // values that the mod has found at the start of this server
	orderly bool           // the server before ended in order
	lives   int
}

// history is what happened to a key, in order.
type history struct {
	puts []put
}

// put is one change of a key.
type put struct {
	number       int
	gone         bool // it deletes the key
	acked, naked bool
	lost         bool // the mod was reloaded before the answer, so there is none
}

// value is what the store has after the change: 0 is nothing.
func (p put) value() int {
	if p.gone {
		return 0
	}
	return p.number
}

// said reads a line of the mod.
func (o *storageOracle) said(s *system, words []string) {
	switch words[0] {
	case "put":
		h := o.key(words[1])
		h.puts = append(h.puts, put{number: number(words, 2), gone: words[3] == "gone"})
	case "ack", "nak":
		o.key(words[1]).answer(s, number(words, 2), words[0] == "ack")
	case "has":
		if o.has == nil {
			o.has = map[string]int{}
		}
		o.has[words[1]] = number(words, 2)
	case "loaded":
		o.loaded(s)
	}
}

func (o *storageOracle) key(name string) *history {
	if o.keys == nil {
		o.keys = map[string]*history{}
	}
	if o.keys[name] == nil {
		o.keys[name] = &history{puts: []put{{gone: true, acked: true}}}
	}
	return o.keys[name]
}

func (h *history) answer(s *system, number int, ok bool) {
	for i := range h.puts {
		if h.puts[i].number == number {
			if h.puts[i].acked || h.puts[i].naked {
				s.fail("storage", "change %d has two answers", number)
			}
			h.puts[i].acked, h.puts[i].naked = ok, !ok
			return
		}
	}
	s.fail("storage", "change %d is answered and was never made", number)
}

// ended notes how the server has ended.
func (o *storageOracle) ended(orderly bool) { o.orderly = orderly }

// loaded checks the values at the start of a mod. A reload of the mod in a running server is no
// start, but the mod gets no answers to earlier changes.
func (o *storageOracle) loaded(s *system) {
	has := o.has
	o.has = nil
	if s.server.life == o.lives {
		for _, h := range o.keys { // any order: all are marked
			for i := range h.puts {
				h.puts[i].lost = true
			}
		}
		return
	}
	o.lives = s.server.life
	for _, name := range slices.Sorted(maps.Keys(o.keys)) {
		h := o.keys[name]
		if why := h.check(has[name], o.orderly); why != "" {
			s.fail("storage", "key %s: %s", name, why)
			return
		}
		h.puts = []put{{number: has[name], gone: has[name] == 0, acked: true}}
	}
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if o.keys[name] == nil {
			s.fail("storage", "key %s has a value and was never stored", name)
		}
	}
}

// check returns why a value is wrong. It must be that of the last acknowledged change, or of a
// later one that was not refused. After an orderly end it must be that of the last change.
func (h *history) check(value int, orderly bool) string {
	var can []int
	for _, p := range h.puts {
		switch {
		case p.naked:
		case p.acked || orderly && !p.lost:
			can = []int{p.value()}
		default:
			can = append(can, p.value())
		}
	}
	if slices.Contains(can, value) {
		return ""
	}
	return fmt.Sprintf("the server starts with %d, and it must be one of %v", value, can)
}
