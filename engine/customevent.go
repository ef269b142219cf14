package engine

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
)

// A CustomEvent is an event of a program with events of its own. It travels as bytes, so the engine
// and programs that lack its kind stay in step whatever it writes.
type CustomEvent interface {
	// Serialize describes the event once for both directions. Fail of the codec refuses a value.
	// The sender calls it in SendEvent.
	Serialize(s *bitstream.Codec)
	// Receive runs in a tick of the receiver. c is the way to the sender.
	Receive(c *Connection)
}

// A CustomKind is a kind of CustomEvents. It goes to peers whose program has an equal kind: the
// same name, and the same From.
type CustomKind struct {
	Name      string             // 1 to 64 letters, digits and _
	From      Sender             // who sends it; the other side's ends the connection
	Guarantee Guarantee          // the zero value is Ordered: in the order of all custom events
	New       func() CustomEvent // returns an empty event, always of one Go type
}

// A Sender says who sends events of a kind.
type Sender = event.Direction

// The senders of events.
const (
	FromEither = event.ToEither
	FromClient = event.ToServer
	FromServer = event.ToClient
)

// Limits of custom events. MaxCustomEvent is in bytes.
const (
	MaxCustomEvent = 4 << 10
	MaxCustomKinds = 128
)

// customMark begins the names of custom kinds on the wire. It sorts behind all names of the engine,
// whose ids so stay as they are.
const customMark = "~"

// customKinds are the custom kinds of a host, by the Go types of their events.
type customKinds struct {
	ids   map[reflect.Type]event.KindID
	kinds map[event.KindID]*CustomKind
}

// CheckEvents returns why a host cannot have some custom kinds, in a sentence.
func CheckEvents(kinds []CustomKind) error {
	if len(kinds) > MaxCustomKinds {
		return fmt.Errorf("%d kinds of events: must be at most %d", len(kinds), MaxCustomKinds)
	}
	names, types := map[string]bool{}, map[reflect.Type]bool{}
	for _, k := range kinds {
		if !sim.IsName(k.Name) || k.New == nil {
			return fmt.Errorf("event kind %q: it needs a name of 1 to %d letters, digits and _, and New", k.Name, sim.MaxName)
		}
		t := reflect.TypeOf(k.New())
		if names[k.Name] || types[t] {
			return fmt.Errorf("event kind %s: its name or its Go type is that of another kind", k.Name)
		}
		names[k.Name], types[t] = true, true
	}
	return nil
}

// newKinds returns the kinds of the engine's events and some custom ones. It panics if CheckEvents
// refuses them.
func (c *customKinds) newKinds(newCommand, newSpeech func() event.Event, custom []CustomKind) *event.Kinds {
	if err := CheckEvents(custom); err != nil {
		panic("BUG: " + err.Error())
	}
	custom = slices.Clone(custom)
	order.By(custom, func(a, b CustomKind) int { return cmp.Compare(a.Name, b.Name) })
	var more []event.Kind
	c.ids, c.kinds = map[reflect.Type]event.KindID{}, map[event.KindID]*CustomKind{}
	for i := range custom {
		id := event.KindID(len(kinds.List()) + i)
		c.ids[reflect.TypeOf(custom[i].New())], c.kinds[id] = id, &custom[i]
		more = append(more, event.Kind{Name: customMark + custom[i].Name, Dir: custom[i].From, New: func() event.Event { return &customEvent{id: id} }})
	}
	return newKinds(newCommand, newSpeech, more...)
}

// EventPrints returns numbers for custom kinds by name. They are equal in programs with equal
// kinds.
func EventPrints(custom []CustomKind) map[string]uint32 {
	prints, all := map[string]uint32{}, EventKinds(custom...)
	for i, print := range all.Fingerprints() {
		if name, is := strings.CutPrefix(all.List()[len(all.List())-len(all.Fingerprints())+i].Name, customMark); is {
			prints[name] = print
		}
	}
	return prints
}

// customEvent is a CustomEvent on its way.
type customEvent struct {
	id    event.KindID
	data  []byte
	event CustomEvent // at the receiver
}

func (e *customEvent) KindID() event.KindID { return e.id }

func (e *customEvent) Serialize(s *event.Codec) { s.Bytes(&e.data, MaxCustomEvent) }

// Process reads the event. It waits for the next tick like a command, and has the rate limit of
// commands.
func (e *customEvent) Process(n *netcore.Conn) error {
	c := owner(n)
	if !c.Commands.admits(len(e.data)) {
		return nil
	}
	kind := c.host.custom.kinds[e.id]
	e.event = kind.New()
	r := bitstream.NewReader(e.data)
	if e.event.Serialize(&r.Codec); r.Err() != nil || r.Left() >= 8 {
		return fmt.Errorf("malformed event %s", kind.Name)
	}
	return c.inbox.add(e)
}

// run passes the event to the program.
func (e *customEvent) run(c *Connection) { e.event.Receive(c) }

var errNoKind = errors.New("the event has no kind in Config.Events")

// SendEvent sends an event. sent is false if the peer's program lacks its kind, and for bots. The
// error says why the event cannot be sent: the host lacks its kind, it comes from the other side,
// it is invalid or too long, or too much waits for the peer. During a change of the world that can
// be rolled back, the event waits for its end; a later error is logged.
func (c *Connection) SendEvent(e CustomEvent) (sent bool, err error) {
	id, has := c.host.custom.ids[reflect.TypeOf(e)]
	if !has {
		return false, errNoKind
	}
	kind := c.host.custom.kinds[id]
	if kind.From == FromClient && c.inbound || kind.From == FromServer && !c.inbound {
		return false, fmt.Errorf("the event %s comes from the other side", kind.Name)
	}
	w := bitstream.NewWriter(make([]byte, MaxCustomEvent))
	if e.Serialize(&w.Codec); w.Err() != nil {
		return false, fmt.Errorf("the event %s is invalid, or longer than %d bytes: %w", kind.Name, MaxCustomEvent, w.Err())
	}
	if c.net == nil || c.over() || !c.events.Knows(id) {
		return false, nil
	}
	data := slices.Clone(w.Bytes())
	post := func() error {
		if c.over() {
			return nil
		}
		lane := c.host.lanes.of(customMark) // no mod has this name
		return c.events.Post(&customEvent{id: id, data: data}, event.Post{Guarantee: kind.Guarantee, Channel: commands, Lane: lane})
	}
	if !c.host.world.InTransaction() {
		err := post()
		return err == nil, err
	}
	c.host.world.OnCommit(func() {
		if err := post(); err != nil {
			c.logPeer("an event is not sent: "+err.Error(), "kind", kind.Name)
		}
	})
	return true, nil
}

// Tell calls the callback GameConnection.name of the scripts of this host, with the connection and
// the arguments. Custom events do it to reach mods.
func (c *Connection) Tell(name string, args ...sim.Value) {
	c.host.scripts.ConnectionEvent(c, name, args...)
}
