package script

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxDepth bounds how deep entries nest: an event, and what it calls in other mods.
const maxDepth = 16

// Error is a failed entry: what was raised, where, and through which mods.
type Error struct {
	Mod       *Mod // whose code failed; of an exhausted root, the one that used most of it
	Chain     string
	Value     lua.LValue // what was raised; nil for an error of the door itself
	Text      string     // begins with file:line where Lua raised it
	Traceback string     // at most 24 levels, one per line, each beginning with a tab; "" if unknown
	Spent     *Exhausted // set if a budget broke
}

func (e *Error) Error() string { return e.Text }

func (e *Error) Unwrap() error {
	if e.Spent == nil {
		return nil
	}
	return e.Spent
}

// ErrTick refuses an event because all callbacks of this tick together have used up their time.
var ErrTick = errors.New("the scripts' time of this tick is used up")

// Enter calls fn in m: the only way into Lua. At depth 0 the entry has the budget of a callback; deeper it draws on
// the budget in progress. The arguments must be values of m's state. The results are; they are nil if there are none.
// The error is an *Error, or ErrTick.
func (h *Host) Enter(m *Mod, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	if len(h.chain) > 0 {
		return h.enter(m, fn, Limit{}, args)
	}
	left := h.cfg.Limits.Tick - h.meter.tickUsed
	if h.meter.clock != nil && left <= 0 {
		return nil, ErrTick
	}
	l := h.cfg.Limits.Callback
	if h.meter.clock != nil {
		l.Time = min(l.Time, left)
	}
	out, err := h.enter(m, fn, l, args)
	h.meter.tickUsed += h.meter.last - h.meter.started
	return out, err
}

// EnterWith is Enter with a limit of its own instead of a callback's: Limits().Load, Limits().Line, or, nested, a
// smaller one whose breaking is an ordinary error at the caller.
func (h *Host) EnterWith(l Limit, m *Mod, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	return h.enter(m, fn, l, args)
}

// Limits in force.
func (h *Host) Limits() Limits { return h.cfg.Limits }

func (h *Host) enter(m *Mod, fn *lua.LFunction, l Limit, args []lua.LValue) ([]lua.LValue, error) {
	if len(h.chain) >= maxDepth {
		text := fmt.Sprintf("calls between mods nest deeper than %d: %s", maxDepth, h.Chain())
		return nil, &Error{Mod: m, Chain: h.Chain(), Text: text}
	}
	root := len(h.chain) == 0
	h.chain = append(h.chain, m)
	k := h.meter.enter(m, l, root)
	s, guards := m.State, h.guards
	outer := s.outer
	s.outer = len(s.running)
	t := s.thread()
	t.Push(s.traced)
	t.Push(fn)
	for _, a := range args {
		t.Push(a)
	}
	failed := t.PCall(len(args)+1, lua.MultRet, nil)
	h.raising = false
	var out []lua.LValue
	if n := t.GetTop(); failed == nil && n > 0 {
		out = make([]lua.LValue, n)
		for i := range out {
			out[i] = t.Get(i + 1)
		}
	}
	s.release(t)
	s.running, s.outer = s.running[:s.outer], outer
	h.guards = guards
	spent := h.meter.leave(k)
	var err error
	if failed != nil || spent != nil {
		out, err = nil, h.failure(m, failed, spent)
	}
	h.chain = h.chain[:len(h.chain)-1]
	return out, err
}

// failure makes the error of an entry while the chain still stands.
func (h *Host) failure(m *Mod, failed error, spent *Exhausted) *Error {
	e := &Error{Mod: m, Chain: h.Chain(), Spent: spent}
	if api, ok := failed.(*lua.ApiError); ok {
		e.Value, e.Traceback = api.Object, api.StackTrace
		e.Text = plain(api.Object)
		if inner, ok := api.Cause.(*Error); ok && spent == nil {
			e.Mod, e.Traceback = inner.Mod, inner.Traceback+"\n"+e.Traceback
		}
	}
	if spent != nil {
		if e.Text == "" {
			e.Text = spent.Text
		}
		if spent.Root {
			if big := h.meter.largest(); big != nil {
				e.Mod = big
			}
		}
	}
	return e
}

// Chain names the mods of the entries in progress, outermost first: "ctf > base > ctf".
func (h *Host) Chain() string {
	names := make([]string, len(h.chain))
	for i, m := range h.chain {
		names[i] = m.Name
	}
	return strings.Join(names, " > ")
}

// plain is the text of an error value, without running Lua.
func plain(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numberText(float64(v))
	case nil, *lua.LNilType:
		return "nil"
	}
	return fmt.Sprintf("(error object is a %s value)", v.Type())
}
