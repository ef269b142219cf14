package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// Limits of a remote command (contract.md §4). A call that breaks one fails at
// its caller; a peer that breaks one has broken the protocol.
const (
	maxArgs    = 20
	maxTag     = 1024
	maxString  = 32 << 10
	maxCommand = 64 << 10
)

// CommandOptions choose how a command travels. The zero value is a guaranteed,
// ordered call of the console.
type CommandOptions struct {
	Guarantee netcore.Guarantee
	Priority  uint8  // 0…3, sorts only what is not ordered
	Mod       string // the caller's mod: its calls queue in a lane of their own
}

// command is a remote call in flight: commandToServer or commandToClient.
//
//	name  tag
//	count 0…20
//	args  count × (kind, value)
type command struct {
	name netcore.TagRef
	args []argument
	size int // bytes on the wire, for the allowance of the sender
}

// An argument is a value as it travels: tags as references into the string
// table, objects as ids of this connection, datablocks by index.
type argument struct {
	kind  int
	value sim.Value // argFalse … argString, argVec, argRot
	tag   netcore.TagRef
	block uint64 // index of the datablock
	ghost uint32 // local object id
}

// The kinds of arguments on the wire.
const (
	argNil = iota
	argFalse
	argTrue
	argInteger
	argNumber
	argString
	argTag
	argVec
	argRot
	argObject
	argBlock
	argKinds
)

func (c *command) KindID() netcore.EventID { return commandID }

// Serialize describes a command once, for both directions.
func (c *command) Serialize(s *netcore.EventCodec) {
	start := s.Pos()
	s.Tag(&c.name)
	n := len(c.args)
	s.Int(&n, 0, maxArgs)
	if s.Err() != nil {
		return
	}
	if s.Reading() {
		c.args = make([]argument, n)
	}
	for i := range c.args {
		c.args[i].serialize(s)
	}
	if s.Err() != nil {
		return
	}
	if s.Reading() {
		c.size = (s.Pos() - start + 7) / 8
	}
}

func (a *argument) serialize(s *netcore.EventCodec) {
	s.Int(&a.kind, 0, argKinds-1)
	switch a.kind {
	case argNil:
		a.value = sim.Nil()
	case argFalse, argTrue:
		a.value = sim.Bool(a.kind == argTrue)
	case argInteger:
		serializeInteger(s, &a.value)
	case argNumber:
		f := a.value.Number()
		s.Float64(&f)
		a.value = sim.Number(f)
	case argString:
		serializeString(s, &a.value)
	case argTag:
		s.Tag(&a.tag)
	case argVec:
		v := a.value.Vec()
		s.Float64(&v.X)
		s.Float64(&v.Y)
		s.Float64(&v.Z)
		a.value = sim.Vec(v)
	case argRot:
		r := a.value.Rot()
		s.Float64(&r.Yaw)
		s.Float64(&r.Pitch)
		s.Float64(&r.Roll)
		a.value = sim.Rotation(r)
	case argObject:
		s.Object(&a.ghost)
	case argBlock:
		s.Var(&a.block)
	}
}

// isWireInteger reports whether f survives as sign and magnitude: whole, below
// 2^53, and not the negative zero.
func isWireInteger(f float64) bool {
	return f == float64(int64(f)) && f > -1<<53 && f < 1<<53 && (f != 0 || 1/f > 0)
}

func serializeInteger(s *netcore.EventCodec, v *sim.Value) {
	f := v.Number()
	negative := f < 0
	if negative {
		f = -f
	}
	n := uint64(f)
	s.Flag(&negative)
	s.Var(&n)
	if n >= 1<<53 {
		s.Fail(errors.New("an integer argument is beyond 2^53"))
		return
	}
	f = float64(n)
	if negative {
		f = -f
	}
	*v = sim.Number(f)
}

func serializeString(s *netcore.EventCodec, v *sim.Value) {
	text := v.Text()
	s.Text(&text, maxString)
	if s.Reading() {
		*v = sim.String(text)
	}
}

// Process hands the command to its connection, which dispatches it at the next
// Tick.
func (c *command) Process(n *netcore.Conn) error {
	return owner(n).arrived(c)
}

// Command calls the command name on the peer. name is a tag, or a string that
// is tagged by itself. Tags among args cross the connection once and are
// expanded by the receiver. The error says which limit the call breaks.
func (c *Connection) Command(o CommandOptions, name sim.Value, args []sim.Value) error {
	if c.net == nil || c.ended {
		return errors.New("the connection has ended")
	}
	call, err := c.newCommand(name, args)
	if err != nil {
		return err
	}
	return c.events.Post(call, netcore.Post{
		Guarantee: o.Guarantee,
		Priority:  o.Priority,
		Lane:      c.host.lane(o.Mod),
	})
}

func (c *Connection) newCommand(name sim.Value, args []sim.Value) (*command, error) {
	switch {
	case name.Kind() != sim.KindTag && name.Kind() != sim.KindString:
		return nil, fmt.Errorf("the command's name must be a tag or a string")
	case name.Text() == "" || len(name.Text()) > maxTag:
		return nil, fmt.Errorf("the command's name must have 1 to %d bytes, it has %d", maxTag, len(name.Text()))
	case len(args) > maxArgs:
		return nil, fmt.Errorf("a command takes at most %d arguments, got %d", maxArgs, len(args))
	}
	call := &command{name: netcore.TagRef{Text: name.Text()}, args: make([]argument, len(args))}
	size := len(name.Text())
	for i, v := range args {
		a, err := c.newArgument(i, v)
		if err != nil {
			return nil, err
		}
		call.args[i] = a
		size += len(v.Text()) + 8
	}
	if size > maxCommand {
		return nil, fmt.Errorf("a command carries at most %d KiB, this one has %d bytes", maxCommand>>10, size)
	}
	return call, nil
}

// newArgument readies v for the wire. A tag that came over a wire is plain text
// from here on: what was expanded once is never expanded again.
func (c *Connection) newArgument(i int, v sim.Value) (argument, error) {
	a := argument{value: v}
	switch v.Kind() {
	case sim.KindBool:
		a.kind = argFalse
		if v.Bool() {
			a.kind = argTrue
		}
	case sim.KindNumber:
		a.kind = argNumber
		if isWireInteger(v.Number()) {
			a.kind = argInteger
		}
	case sim.KindString, sim.KindTag:
		return textArgument(i, v)
	case sim.KindVec:
		a.kind = argVec
	case sim.KindRot:
		a.kind = argRot
	case sim.KindObject:
		a.kind, a.ghost = argObject, uint32(v.Object())
		if b, ok := c.host.world.Find(v.Object()).(sim.Datablock); ok {
			a.kind, a.block = argBlock, uint64(b.Data().Index())
		}
	}
	return a, nil
}

func textArgument(i int, v sim.Value) (argument, error) {
	n := len(v.Text())
	if v.Kind() == sim.KindTag && !v.Expanded() {
		if n > maxTag {
			return argument{}, fmt.Errorf("argument %d is a tag of %d bytes, a tag may have %d", i+1, n, maxTag)
		}
		return argument{kind: argTag, tag: netcore.TagRef{Text: v.Text()}}, nil
	}
	if n > maxString {
		return argument{}, fmt.Errorf("argument %d has %d bytes, a string may have %d", i+1, n, maxString)
	}
	return argument{kind: argString, value: sim.String(v.Text())}, nil
}

// dispatch runs a command that has come: its tags are expanded, its references
// looked up, and scripts called.
func (c *Connection) dispatch(call *command) {
	name := call.name.Text
	args := c.args[:0]
	for i := range call.args {
		args = append(args, c.resolve(&call.args[i]))
	}
	c.args = args
	c.Stats.CutExpansions += c.host.expander.expandTags(args, c.host.world)
	if !c.host.scripts.Command(c, name, args) {
		c.Stats.UnknownCommands++
		c.host.logLimited("unknown command", "connection", c.ID(), "command", name)
	}
}

// resolve turns an argument that has come into a value of this world.
func (c *Connection) resolve(a *argument) sim.Value {
	switch a.kind {
	case argBlock:
		if b := c.blocks().ByIndex(int(min(a.block, math.MaxUint16))); b != nil {
			return sim.Handle(b.Ident().ID())
		}
		return sim.Nil()
	case argObject:
		return sim.Handle(sim.ID(a.ghost)) // 0, nil, while there is no ghost here
	case argTag:
		return sim.Tag(a.tag.Text)
	}
	return a.value
}
