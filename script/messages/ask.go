package messages

import (
	"fmt"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// maxReason is the longest error of another server that a mod gets, in bytes.
const maxReason = 256

// An ask is a question that waits for its answer, or for its callback.
type ask struct {
	mod    *vm.Mod
	done   *lua.LFunction
	cause  vm.Peer // that pays for a mistake of done
	to     string
	number uint64
	until  time.Duration // of the simulation
	ended  bool
	gone   bool // its callback has run, or its mod runs no more code
	value  []byte
	why    string // "": value is the answer
}

// end ends a question.
func (q *ask) end(value []byte, why string) { q.ended, q.value, q.why = true, value, why }

// Reply ends a question. why is "" for an answer. An answer to a question that has ended does
// nothing, and one that no server can have given is an error for the mod.
func (s *Set) Reply(number uint64, value []byte, why string) {
	i := slices.IndexFunc(s.asks, func(q *ask) bool { return q.number == number && !q.ended })
	if i < 0 {
		return
	}
	q := s.asks[i]
	if why == "" && checkValue(value) != nil {
		value, why = nil, fmt.Sprintf("the answer of %s is damaged", q.to)
	}
	if why != "" {
		value, why = nil, plain(why)
	}
	q.end(value, why)
}

// plain returns the text of another server as one short line.
func plain(text string) string {
	text = vm.ClipText(text, maxReason)
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))), " ")
}

// endAsks runs the callbacks of the questions that have ended.
func (s *Set) endAsks() {
	if len(s.asks) == 0 {
		return
	}
	now := s.cfg.Runtime.Now()
	for _, q := range slices.Clone(s.asks) {
		if !q.ended && now >= q.until {
			q.end(nil, fmt.Sprintf("%s has not answered within %g s", q.to, AskTime.Seconds()))
		}
		if q.gone || !q.ended || s.cfg.Runtime.BusyFor(q.mod) {
			continue
		}
		q.gone = true
		s.answered(q)
	}
	s.asks = slices.DeleteFunc(s.asks, func(q *ask) bool { return q.gone })
}

// answered calls the callback of a question.
func (s *Set) answered(q *ask) {
	r := s.cfg.Runtime
	defer r.SetPeer(r.SetPeer(s.cfg.Connected(q.cause)))
	if q.why != "" {
		r.Dispatch(q.mod, doneEvent, q.done, lua.LNil, lua.LString(q.why))
		return
	}
	r.Dispatch(q.mod, doneEvent, q.done, decode(q.mod, q.value))
}
