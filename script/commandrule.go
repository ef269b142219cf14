package script

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/internal/spell"
)

// A commandRule checks the calls of one command: the types of the arguments, and how often a peer
// may call it. A mod sets it with allowCommand.
type commandRule struct {
	Args  []commandArg // nil accepts any arguments; an empty list accepts none
	Rate  float64      // calls per second of each peer; 0 is no limit
	Burst float64      // calls at once, at least 1

	// ownClient reports whether an object is a client of this server; nil on a client.
	ownClient func(sim.ID) bool

	buckets map[sim.ID]*rate.Bucket
}

// An commandArg is the type of one argument.
type commandArg struct {
	Kind     sim.ValueKind
	integer  bool
	optional bool
	any      bool
}

// argTypes are the names of the types, in the order of the reference. "?" after a name also accepts
// nil.
var argTypes = []string{"any", "bool", "int", "number", "string", "tag", "vec", "rot", "object", "client"}

var knownArgs = map[string]commandArg{
	"any": {any: true}, "bool": {Kind: sim.KindBool}, "int": {Kind: sim.KindNumber, integer: true},
	"number": {Kind: sim.KindNumber}, "string": {Kind: sim.KindString}, "tag": {Kind: sim.KindTag},
	"vec": {Kind: sim.KindVec}, "rot": {Kind: sim.KindRot}, "object": {Kind: sim.KindObject}, "client": {Kind: sim.KindClient},
}

// parseArgs reads a list of types.
func parseArgs(types []string) ([]commandArg, error) {
	list := []commandArg{}
	for i, text := range types {
		name, optional := strings.CutSuffix(text, "?")
		arg, known := knownArgs[name]
		if !known {
			hint := ""
			if near := spell.Nearest(name, argTypes); near != "" {
				hint = fmt.Sprintf(", did you mean %q?", near)
			}
			return nil, fmt.Errorf("args[%d]: unknown type %q%s (types: %s; ? after a type also allows nil)", i+1, text, hint, strings.Join(argTypes, ", "))
		}
		arg.optional = optional
		list = append(list, arg)
	}
	return list, nil
}

// Check returns an error if a call breaks the rule. now is simulation time in ms.
func (r *commandRule) Check(from sim.ID, now int64, args []sim.Value) error {
	if r.Rate > 0 && !r.take(from, now) {
		return fmt.Errorf("called more often than %g times per second", r.Rate)
	}
	if r.Args == nil {
		return nil
	}
	if len(args) > len(r.Args) {
		return fmt.Errorf("called with %d arguments, at most %d are allowed", len(args), len(r.Args))
	}
	for i, want := range r.Args {
		v := sim.Nil()
		if i < len(args) {
			v = args[i]
		}
		if !r.accepts(want, v) {
			return fmt.Errorf("command argument %d is %s", i+1, v.Literal())
		}
	}
	return nil
}

// Forget removes what the rule knows of a peer.
func (r *commandRule) Forget(peer sim.ID) { delete(r.buckets, peer) }

// accepts reports whether an argument has the type that the rule wants. A client that came back
// from its peer is the object of this host.
func (r *commandRule) accepts(want commandArg, v sim.Value) bool {
	return want.accepts(v) || want.Kind == sim.KindClient && r.ownClient != nil && r.ownClient(v.Object())
}

func (w commandArg) accepts(v sim.Value) bool {
	switch {
	case w.any || v.IsNil() && w.optional:
		return true
	case w.integer:
		return v.Kind() == sim.KindNumber && v.Number() == math.Trunc(v.Number()) && !math.IsInf(v.Number(), 0)
	}
	return v.Kind() == w.Kind
}

func (r *commandRule) take(from sim.ID, now int64) bool {
	b := r.buckets[from]
	if b == nil {
		if r.buckets == nil {
			r.buckets = map[sim.ID]*rate.Bucket{}
		}
		b = new(rate.Bucket)
		r.buckets[from] = b
	}
	return b.Take(time.Duration(now)*time.Millisecond, rate.Limit{PerSecond: r.Rate, Burst: r.Burst}, 1)
}
