package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// Commands are the remote calls of a connection, in both directions, and how many may come.
type Commands struct {
	Stats ConnectionStats

	conn     *Connection
	calls    rate.Bucket
	bytes    rate.Bucket
	refusals rate.Bucket // of commands that break a rule
	args     []sim.Value // buffer of dispatch
}

// ConnectionStats counts a connection's commands.
type ConnectionStats struct {
	Commands        int // dispatched to scripts
	UnknownCommands int // without a handler
	RefusedCommands int // beyond the peer's rate limit
	CutExpansions   int // %n results that were cut
}

// CommandOptions choose how a command is sent. The zero value is a guaranteed, ordered command from
// the console.
type CommandOptions struct {
	Guarantee event.Guarantee
	Priority  uint8  // 0…3, only for unordered commands
	Mod       string // the calling mod; each mod has its own lane

	// Life is how long an unguaranteed command is worth sending; 0: for ever.
	Life time.Duration

	// Failed is called if the command waited for an open change of the world, and then could not be
	// sent. It can be nil.
	Failed func(error)
}

// remoteCommand is a remote call in flight: commandToServer or commandToClient.
//
//	name   tag
//	count  0…20
//	kinds  count × 4 bits
//	values of the kinds that have one, in order
//
// In memory it is as compact as on the wire, because a peer can send hundreds in a packet.
type remoteCommand struct {
	name    event.TagRef
	texts   []event.TagRef // strings and tags, in order
	numbers []float64      // other values, in order
	kinds   [maxArgs]argKind
	count   uint8
	size    uint32 // bytes on the wire, for the sender's rate limit
}

func (c *remoteCommand) KindID() event.KindID { return commandID }

// Serialize reads or writes a command.
func (c *remoteCommand) Serialize(s *event.Codec) {
	start := s.Pos()
	s.Tag(&c.name)
	count := int(c.count)
	s.Int(&count, 0, maxArgs)
	kinds := c.kinds[:count]
	for i := range kinds {
		kind := int(kinds[i])
		s.Int(&kind, 0, int(argKinds)-1)
		if s.Reading() { // several goroutines write a shared command at once
			kinds[i] = argKind(kind)
		}
	}
	if s.Err() != nil {
		return
	}
	if s.Reading() {
		c.count = uint8(count)
		c.makeRoom()
	}
	texts, numbers := c.texts, c.numbers
	for _, kind := range kinds {
		kind.serialize(s, texts, numbers)
		t, n := kind.takes()
		texts, numbers = texts[t:], numbers[n:]
	}
	if s.Reading() {
		c.size = uint32(s.Pos()-start+7) / 8
	}
}

// makeRoom allocates the slices for the command's values.
func (c *remoteCommand) makeRoom() {
	texts, numbers := 0, 0
	for _, kind := range c.kinds[:c.count] {
		t, n := kind.takes()
		texts, numbers = texts+t, numbers+n
	}
	if texts > 0 {
		c.texts = make([]event.TagRef, texts)
	}
	if numbers > 0 {
		c.numbers = make([]float64, numbers)
	}
}

// Process queues the command for the next Tick. A command beyond the sender's rate limit is
// discarded.
func (c *remoteCommand) Process(n *netcore.Conn) error {
	to := owner(n)
	if !to.Commands.admits(int(c.size)) {
		to.host.spareCommand.last = c
		return nil
	}
	return to.inbox.add(c)
}

// A spareCommand keeps the last refused command, so that a flood of commands does not allocate.
type spareCommand struct{ last *remoteCommand }

// take returns a command to read into.
func (s *spareCommand) take() *remoteCommand {
	c := s.last
	if s.last = nil; c == nil {
		return new(remoteCommand)
	}
	*c = remoteCommand{}
	return c
}

// Send calls the command name on the peer. name is a tag, or a string that becomes a tag. Tags
// among args are sent once per connection, and the receiver expands them. The error names the limit
// that the call breaks. If a change of the world is open, the call waits until it is committed.
// Errors then go to o.Failed.
func (s *Commands) Send(o CommandOptions, name sim.Value, args []sim.Value) error {
	c := s.conn
	if c.net == nil && !c.bot || c.ended {
		return errors.New("the connection has ended")
	}
	call, err := s.newCommand(name, args)
	if err != nil || c.bot {
		return err
	}
	if !c.host.world.InTransaction() { // called in every tick; Hold would need a closure
		return s.post(o, call)
	}
	c.host.world.OnCommit(func() {
		if err := s.post(o, call); err != nil && o.Failed != nil {
			o.Failed(err)
		}
	})
	return nil
}

// post posts a call.
func (s *Commands) post(o CommandOptions, call *remoteCommand) error {
	c := s.conn
	if c.over() { // its end is not yet reported
		return nil
	}
	return c.events.Post(call, c.host.postOf(o))
}

// postOf returns how a command with options is posted now.
func (h *Host) postOf(o CommandOptions) event.Post {
	return event.Post{Guarantee: o.Guarantee, Priority: o.Priority, Lane: h.lanes.of(o.Mod), Life: o.Life, Now: h.now}
}

// Share makes one command for several clients. It returns nil if Send must make one for each: the
// command is large, or each client gets arguments of its own, as its ghosts of objects. The error
// names the limit that the command breaks.
func (h *Host) Share(o CommandOptions, name sim.Value, args []sim.Value) (*SharedCommand, error) {
	size := len(name.Text()) + argBytes
	for _, v := range args {
		if v.Kind() == sim.KindObject || v.Kind() == sim.KindClient {
			return nil, nil
		}
		size += len(v.Text()) + argBytes
	}
	call, err := new(Commands).newCommand(name, args)
	if err != nil {
		return nil, err
	}
	return event.Share(call, h.postOf(o), size), nil
}

// SendShared is Send of a shared command. It returns false and does nothing where Send might fail
// or wait.
func (s *Commands) SendShared(shared *SharedCommand) bool {
	c := s.conn
	if c.bot {
		return !c.ended
	}
	return c.net != nil && !c.over() && !c.host.world.InTransaction() && c.events.PostShared(shared)
}

func (s *Commands) newCommand(name sim.Value, args []sim.Value) (*remoteCommand, error) {
	switch {
	case name.Kind() != sim.KindTag && name.Kind() != sim.KindString:
		return nil, fmt.Errorf("the command's name must be a tag or a string")
	case name.Text() == "" || len(name.Text()) > maxTag:
		return nil, fmt.Errorf("the command's name must have 1 to %d bytes, got %d", maxTag, len(name.Text()))
	case len(args) > maxArgs:
		return nil, fmt.Errorf("a command takes at most %d arguments, got %d", maxArgs, len(args))
	}
	call := &remoteCommand{name: event.TagRef{Text: name.Text()}, count: uint8(len(args))}
	texts := 0
	for _, v := range args {
		if v.Kind() == sim.KindString || v.Kind() == sim.KindTag {
			texts++
		}
	}
	if texts > 0 {
		call.texts = make([]event.TagRef, 0, texts)
	}
	if numbers := len(args) - texts; numbers > 0 {
		call.numbers = make([]float64, 0, numbers) // vectors make it grow
	}
	size := len(name.Text())
	for i, v := range args {
		v, err := s.conn.outgoing(v)
		if err == nil {
			err = s.addArgument(call, i, v)
		}
		if err != nil {
			return nil, fmt.Errorf("command argument %d is %w", i+1, err)
		}
		size += len(v.Text()) + 8
	}
	if size > maxCommand {
		return nil, fmt.Errorf("a command can have at most %d KiB, got %d bytes", maxCommand>>10, size)
	}
	return call, nil
}

// outgoing returns an argument in the form in which it crosses this connection. A client is sent to
// clients of its server, and back to its server.
func (c *Connection) outgoing(v sim.Value) (sim.Value, error) {
	own := v.Kind() == sim.KindObject
	if !own && v.Kind() != sim.KindClient {
		return v, nil
	}
	sent, err := c.host.outgoing(v)
	if sent.Kind() == sim.KindClient && own != c.inbound {
		err = errors.New("a client of another server: send its name")
	}
	return sent, err
}

// addArgument encodes v as argument i of a call.
func (s *Commands) addArgument(call *remoteCommand, i int, v sim.Value) error {
	c := s.conn
	kind := &call.kinds[i]
	switch v.Kind() {
	case sim.KindBool:
		*kind = argFalse
		if v.Bool() {
			*kind = argTrue
		}
	case sim.KindNumber:
		*kind = argNumber
		if isWireInteger(v.Number()) {
			*kind = argInteger
		}
		call.numbers = append(call.numbers, v.Number())
	case sim.KindString, sim.KindTag:
		call.texts = append(call.texts, event.TagRef{Text: v.Text()})
		return kind.ofText(v)
	case sim.KindVec:
		*kind = argVec
		call.numbers = append(call.numbers, v.Vec().X, v.Vec().Y, v.Vec().Z)
	case sim.KindRot:
		*kind = argRot
		call.numbers = append(call.numbers, v.Rot().Yaw, v.Rot().Pitch, v.Rot().Roll)
	case sim.KindObject:
		if b, ok := c.host.world.Find(v.Object()).(sim.Datablock); ok {
			*kind = argYourBlock
			if own := c.host.world.Blocks; c.host.cfg.Server && own.ByIndex(int(b.Data().Index())) == sim.Object(b) {
				*kind = argBlock
			}
			call.numbers = append(call.numbers, float64(b.Data().Index()))
			break
		}
		*kind = argObject
		if _, theirs := c.PeerGhosts.tokens[v.Object()]; theirs {
			*kind = argYourObject
		}
		call.numbers = append(call.numbers, float64(v.Object()))
	case sim.KindClient:
		id, name := v.Client()
		if len(name) > maxTag {
			return fmt.Errorf("a client with a name of %d bytes: must be at most %d", len(name), maxTag)
		}
		*kind = argClient
		call.numbers, call.texts = append(call.numbers, float64(id)), append(call.texts, event.TagRef{Text: name})
	}
	return nil
}

// ofText chooses between string and tag, and checks the length. A tag received from a peer is sent
// as a string, because an expanded tag must not be expanded again.
func (k *argKind) ofText(v sim.Value) error {
	n := len(v.Text())
	*k = argString
	if v.Kind() == sim.KindTag && !v.Expanded() {
		*k = argTag
	}
	switch {
	case *k == argTag && n > maxTag:
		return fmt.Errorf("a tag of %d bytes: must be at most %d", n, maxTag)
	case n > maxString:
		return fmt.Errorf("a string of %d bytes: must be at most %d", n, maxString)
	}
	return nil
}

// dispatch runs a received command: it expands tags, resolves references and calls scripts.
func (s *Commands) dispatch(call *remoteCommand) {
	c := s.conn
	name := call.name.Text
	args, texts, numbers := s.args[:0], call.texts, call.numbers
	for _, kind := range call.kinds[:call.count] {
		args = append(args, s.resolve(kind, texts, numbers))
		t, n := kind.takes()
		texts, numbers = texts[t:], numbers[n:]
	}
	s.args = args
	c.host.Demos.demo.Told(&c.Group, name, args)
	s.Stats.CutExpansions += c.host.expander.expandTags(args, c.host)
	s.bytes.Owe(float64(c.host.expander.total))
	if !c.host.scripts.Command(c, name, args) {
		s.Stats.UnknownCommands++
		c.logPeer("unknown command", "command", name)
	}
}

// resolve converts an argument to a value of this world. Its values are the first of texts and
// numbers.
func (s *Commands) resolve(kind argKind, texts []event.TagRef, numbers []float64) sim.Value {
	c := s.conn
	switch kind {
	case argFalse, argTrue:
		return sim.Bool(kind == argTrue)
	case argInteger, argNumber:
		return sim.Number(numbers[0])
	case argString:
		return sim.String(texts[0].Text)
	case argTag:
		return sim.Tag(texts[0].Text)
	case argVec:
		return sim.Vec(sim.Vec3{X: numbers[0], Y: numbers[1], Z: numbers[2]})
	case argRot:
		return sim.Rotation(sim.Rot{Yaw: numbers[0], Pitch: numbers[1], Roll: numbers[2]})
	case argObject: // a token: nil if the ghost is missing
		return sim.Handle(c.PeerGhosts.idOf(uint32(numbers[0])))
	case argYourObject: // the object may be gone
		if id := sim.ID(numbers[0]); c.host.world.Find(id) != nil {
			return sim.Handle(id)
		}
	case argClient:
		id := sim.ID(numbers[0])
		if !c.inbound {
			return sim.Client(id, texts[0].Text)
		}
		if own, ok := c.host.world.Find(id).(*Connection); ok && own.inbound { // it may be gone
			return sim.Handle(id)
		}
	case argBlock, argYourBlock:
		from := c.Blocks.table()
		if kind == argYourBlock {
			from = c.host.world.Blocks
		}
		if b := from.ByIndex(int(numbers[0])); b != nil {
			return sim.Handle(b.Ident().ID())
		}
	}
	return sim.Nil()
}

// Queued returns how many bytes of a mod's commands to this peer are not acknowledged yet. At 512
// KiB further commands fail.
func (s *Commands) Queued(mod string) (bytes int) {
	c := s.conn
	lane, used := c.host.lanes[mod] // a question makes no lane: their order decides which command is sent first
	if c.events == nil || !used {
		return 0
	}
	return c.events.QueuedBytes(lane)
}

// admits reports whether a command of so many bytes is within its sender's rate limit.
func (s *Commands) admits(size int) bool {
	c := s.conn
	now := millis(c.host.Now())
	if c.inbound && c.spectator {
		s.CountRefusal()
		return false
	}
	if !c.inbound || s.calls.Take(now, commandCalls, 1) && s.bytes.Take(now, commandBytes, float64(size)) {
		return true
	}
	s.refuse()
	return false
}

// CountRefusal counts a command that breaks a rule for commands: its rate, or its arguments. Too
// many of them in a short time end the connection.
func (s *Commands) CountRefusal() {
	c := s.conn
	if c.inbound && !s.refusals.Take(millis(c.host.Now()), refusedCalls, 1) {
		c.fail("too many of your commands were refused")
	}
}

// refuse counts a command beyond the rate limit.
func (s *Commands) refuse() {
	s.CountRefusal()
	s.Stats.RefusedCommands++
	s.conn.logPeer("too many commands", "player", s.conn.PlayerName)
}

// run dispatches a command. It refuses the command if the expansion of earlier ones has used up the
// sender's byte allowance.
func (e *remoteCommand) run(c *Connection) {
	if c.inbound && !c.Commands.bytes.Has(millis(c.host.Now()), commandBytes, 0) {
		c.Commands.refuse()
		return
	}
	c.Commands.Stats.Commands++
	c.Commands.dispatch(e)
}

// laneTable has the fair-queueing lanes of the mods' commands.
type laneTable map[string]uint16

// of returns the lane of a mod.
func (l laneTable) of(mod string) uint16 {
	n, ok := l[mod]
	if !ok {
		n = uint16(len(l))
		l[mod] = n
	}
	return n
}
