package script

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// A commandRule is the rule set by allowCommand: the types of the arguments and the call rate of
// each connection.
type commandRule struct {
	args        []ruleArg
	rate, burst float64
	buckets     map[sim.ID]*tokenBucket
}

type ruleArg struct {
	kind     sim.ValueKind
	integer  bool
	optional bool
	any      bool
}

type tokenBucket struct {
	left float64
	at   int64
}

var ruleKinds = map[string]ruleArg{
	"any": {any: true}, "bool": {kind: sim.KindBool}, "int": {kind: sim.KindNumber, integer: true},
	"number": {kind: sim.KindNumber}, "string": {kind: sim.KindString}, "tag": {kind: sim.KindTag},
	"vec": {kind: sim.KindVec}, "rot": {kind: sim.KindRot}, "object": {kind: sim.KindObject},
}

func allowCommand(a Call) int {
	name, t := strings.ToLower(textOf(a.Any(1))), a.options(2, "args", "rate", "burst")
	r := &commandRule{buckets: map[sim.ID]*tokenBucket{}}
	switch args := t.RawGetString("args").(type) {
	case *lua.LNilType:
	default:
		a.Fail("args must be a list of types, not %s", kindOf(args))
	case *lua.LTable:
		r.args = []ruleArg{} // an empty list forbids all arguments
		for i := 1; i <= args.Len(); i++ {
			text := textOf(args.RawGetInt(i))
			kind, optional := strings.CutSuffix(text, "?")
			rule, known := ruleKinds[kind]
			if !known {
				a.Fail("args[%d]: unknown type %q", i, text)
			}
			rule.optional = optional
			r.args = append(r.args, rule)
		}
	}
	r.rate, r.burst = a.positive(t, "rate"), a.positive(t, "burst")
	switch {
	case r.burst == 0:
		r.burst = max(1, r.rate)
	case r.burst < 1:
		a.Fail("burst must be at least 1, or every call is refused")
	}
	x := a.binding()
	if a.Mod.Runtime.Side == vm.Server {
		x.server.rules[name] = r
	} else {
		x.client.rules[name] = r
	}
	return 0
}

func (a Call) positive(t *lua.LTable, key string) float64 {
	switch v := t.RawGetString(key).(type) {
	case *lua.LNilType:
		return 0
	case lua.LNumber:
		if v > 0 {
			return float64(v)
		}
	}
	a.Fail("%s must be a number above 0", key)
	return 0
}

// check returns an error if a call breaks the rule. now is simulation time in ms.
func (r *commandRule) check(from sim.ID, now int64, args []sim.Value) error {
	if r.rate > 0 && !r.take(from, now) {
		return fmt.Errorf("called more often than %g times per second", r.rate)
	}
	if r.args == nil {
		return nil
	}
	if len(args) > len(r.args) {
		return fmt.Errorf("called with %d arguments, at most %d are allowed", len(args), len(r.args))
	}
	for i, want := range r.args {
		v := sim.Nil()
		if i < len(args) {
			v = args[i]
		}
		if !want.accepts(v) {
			return fmt.Errorf("command argument %d is %s", i+1, v.Literal())
		}
	}
	return nil
}

func (w ruleArg) accepts(v sim.Value) bool {
	switch {
	case w.any || v.IsNil() && w.optional:
		return true
	case w.integer:
		return v.Kind() == sim.KindNumber && v.Number() == math.Trunc(v.Number()) && !math.IsInf(v.Number(), 0)
	}
	return v.Kind() == w.kind
}

func (r *commandRule) take(from sim.ID, now int64) bool {
	b := r.buckets[from]
	if b == nil {
		b = &tokenBucket{left: r.burst, at: now}
		r.buckets[from] = b
	}
	b.left = min(r.burst, b.left+float64(now-b.at)*r.rate/1000)
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
