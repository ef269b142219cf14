package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// maxCheckText is how long a text for a waiting client can be, in bytes.
const maxCheckText = 255

// A joinCheck is a connect request that mods have deferred. Each of them must agree, and one that
// refuses decides for all.
type joinCheck struct {
	conn    *engine.Connection
	waiting []*modCheck // the mods that have not agreed, in the order of client:defer
	refuse  string      // set while the gates are asked
	over    bool
}

// A modCheck is the part of one mod.
type modCheck struct {
	mod  *vm.Mod
	text string
	ok   *lua.LFunction // what client:defer has returned
}

// tell tells the engine what the client shows, and which mod the request waits for.
func (k *joinCheck) tell() {
	names := make([]string, len(k.waiting))
	for i, w := range k.waiting {
		names[i] = w.mod.Name
	}
	by := "the mod " + names[0]
	if len(names) > 1 {
		by = "the mods " + strings.Join(names, ", ")
	}
	k.conn.Join.Defer(k.waiting[0].text, by)
}

// decide decides on a request.
func (k *joinCheck) decide(refuse string) bool {
	k.over = true
	return k.conn.Join.Decide(refuse)
}

// checkOf returns the request of a connection, or nil.
func (g *gates) checkOf(c *engine.Connection) *joinCheck {
	if g.asking != nil && g.asking.conn == c {
		return g.asking
	}
	if i := slices.IndexFunc(g.checks, func(k *joinCheck) bool { return k.conn == c }); i >= 0 {
		return g.checks[i]
	}
	return nil
}

// deferRequest is client:defer.
func deferRequest(a bind.Call) int {
	x, c, text := caller(a), a.Client(1), a.String(2)
	w, err := x.scripts.gates.deferFor(x, c, text)
	a.Check(err)
	return a.Return(w.ok)
}

// deferFor makes the request of a connection wait for a mod, or changes the text of one that waits.
func (g *gates) deferFor(x *instance, c *engine.Connection, text string) (w *modCheck, err error) {
	k := g.checkOf(c)
	if k != nil {
		if i := slices.IndexFunc(k.waiting, func(w *modCheck) bool { return w.mod == x.mod }); i >= 0 {
			w = k.waiting[i]
		}
	}
	switch {
	case strings.TrimSpace(text) == "" || len(text) > maxCheckText:
		return nil, fmt.Errorf("the text for the client must have 1 to %d bytes, not %d", maxCheckText, len(text))
	case w != nil && k == g.asking, w != nil && c.Join.Deferred():
		w.text = text
	case k != nil && k == g.asking:
		w = &modCheck{mod: x.mod, text: text}
		w.ok = g.answerOf(k, w)
		k.waiting = append(k.waiting, w)
	default:
		return nil, errors.New("only onConnectRequest can defer a request, and this one is decided or does not wait for this mod")
	}
	if k != g.asking {
		k.tell()
	}
	return w, nil
}

// answerOf returns the function by which a mod answers.
func (g *gates) answerOf(k *joinCheck, w *modCheck) *lua.LFunction {
	return bind.Bind(w.mod.State, bind.Def("ok", "[reason: string] -> boolean", vm.Server, "", func(a bind.Call) int {
		refuse := ""
		if a.Has(1) {
			if refuse = a.String(1); strings.TrimSpace(refuse) == "" {
				a.Fail("a reason must not be empty: ok() lets the client in")
			}
		}
		return a.Return(lua.LBool(g.answer(k, w, refuse)))
	}))
}

// answer takes the answer of a mod. It returns false if nobody waits for it any more.
func (g *gates) answer(k *joinCheck, w *modCheck, refuse string) bool {
	at := slices.Index(k.waiting, w)
	if at < 0 || k.over || k != g.asking && !k.conn.Join.Deferred() {
		return false
	}
	k.waiting = slices.Delete(k.waiting, at, at+1)
	switch {
	case k == g.asking:
		k.refuse, k.over = refuse, refuse != ""
	case refuse != "" || len(k.waiting) == 0:
		return k.decide(refuse)
	default:
		k.tell()
	}
	return true
}

// watch refuses the requests that wait for a mod that cannot answer, and forgets those that are
// over.
func (g *gates) watch() {
	g.checks = slices.DeleteFunc(g.checks, func(k *joinCheck) bool {
		if k.over = k.over || !k.conn.Join.Deferred(); k.over {
			return true
		}
		for _, w := range k.waiting {
			if refuse := w.cannotAnswer(g.runtime); refuse != "" {
				k.decide(refuse)
				return true
			}
		}
		return false
	})
}

// cannotAnswer returns why a mod cannot answer any more, or "".
func (w *modCheck) cannotAnswer(r *vm.Runtime) string {
	switch {
	case w.mod.Suspended() != "" || w.mod.Emptied() || !w.mod.Receives(gateEvent):
		return cannotCheck(w.mod)
	case !slices.Contains(r.Mods, w.mod):
		return "the mod " + w.mod.Name + " was loaded anew: try again"
	}
	return ""
}

// refuseAll refuses all requests that wait.
func (g *gates) refuseAll(why string) {
	for _, k := range g.checks {
		k.decide(why)
	}
	g.checks = nil
}
