// Package eventtest provides an event and a peer for tests of connections that carry events.
package eventtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/seal"
)

// Message is an event with its number within its class, a tag, and sometimes a body larger than a
// packet.
type Message struct {
	Number uint64
	Class  int // 0 ordered commands, 1 ordered bulk, 2 guaranteed, 3 unguaranteed
	Tag    event.TagRef
	Body   []byte
}

// Kinds holds the only kind of this package, message.
var (
	Kinds     = event.NewKinds(event.Kind{Name: "message", New: func() event.Event { return new(Message) }})
	messageID = Kinds.ID("message")
)

// KindID returns the id of messages in Kinds.
func (l *Message) KindID() event.KindID { return messageID }

// Serialize writes or reads the message.
func (l *Message) Serialize(s *event.Codec) {
	s.Var(&l.Number)
	s.Int(&l.Class, 0, 3)
	s.Tag(&l.Tag)
	s.Bytes(&l.Body, 64<<10)
}

// Process passes the message to the Peer in the connection's User.
func (l *Message) Process(c *netcore.Conn) error {
	c.User.(*Peer).check(l)
	return nil
}

// TagOf returns the tag of message n of a class.
func TagOf(class int, n uint64) string { return fmt.Sprintf("tag %d of class %d", n%17, class) }

// A Peer posts messages at one end of a connection and checks the messages from the other end. It
// is a netsim.Machine.
type Peer struct {
	Conn   *netcore.Conn
	Events *event.Stream
	Quiet  bool               // post nothing
	Posted [4]uint64          // messages posted, by class
	Next   [4]uint64          // ordered classes: the number that must come next
	Seen   [4]map[uint64]bool // the other classes: numbers received, each at most once
	Fault  string             // the first rule that the other end broke; empty for none

	rng *rand.Rand
}

// NewPeer returns a peer with a connection to an address. keys are the session's keys. seed
// determines the messages.
func NewPeer(seed uint64, to netcore.Addr, keys *seal.Session, server bool, cfg netcore.ConnConfig) *Peer {
	p := &Peer{rng: rand.New(rand.NewPCG(seed, uint64(to.Port)))}
	p.Seen[2], p.Seen[3] = map[uint64]bool{}, map[uint64]bool{}
	cfg.Addr, cfg.Keys, cfg.Seed = to, keys, seed
	cfg.Streams = func(*netcore.Conn) []netcore.Stream {
		p.Events = event.New(event.Config{Kinds: Kinds, Server: server, Check: cfg.Check})
		return []netcore.Stream{p.Events}
	}
	p.Conn = netcore.NewConn(0, cfg)
	p.Conn.User = p
	return p
}

// Receive, Send and Tick drive the connection. Tick also posts messages.
func (p *Peer) Receive(now netcore.Time, _ netcore.Addr, d []byte) { p.Conn.Receive(now, d) }
func (p *Peer) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	p.Conn.Send(now, out)
}

func (p *Peer) Tick(now netcore.Time) {
	if !p.Quiet && p.rng.IntN(3) == 0 {
		for range 1 + p.rng.IntN(6) {
			p.post()
		}
	}
	p.Conn.Tick(now)
}

func (p *Peer) post() {
	class := p.rng.IntN(4)
	n := p.Posted[class]
	l := &Message{Number: n, Class: class, Tag: event.TagRef{Text: TagOf(class, n)}}
	if class < 2 && p.rng.IntN(40) == 0 {
		l.Body = []byte(strings.Repeat("a message of many pages ", 200))
	}
	post := event.Post{Channel: uint8(class & 1)} // one lane each: the order is fixed
	switch class {
	case 2:
		post = event.Post{Guarantee: event.Guaranteed, Priority: uint8(n % 4)}
	case 3:
		post = event.Post{Guarantee: event.Unguaranteed, Priority: uint8(n % 4)}
	}
	if p.Events.Post(l, post) == nil {
		p.Posted[class]++
	}
}

func (p *Peer) check(l *Message) {
	switch {
	case l.Tag.Text != TagOf(l.Class, l.Number):
		p.fail("message %d of class %d has tag %q", l.Number, l.Class, l.Tag.Text)
	case l.Class < 2 && l.Number != p.Next[l.Class]:
		p.fail("message %d of class %d, expected %d", l.Number, l.Class, p.Next[l.Class])
	case l.Class >= 2 && p.Seen[l.Class][l.Number]:
		p.fail("message %d of class %d twice", l.Number, l.Class)
	case len(l.Body) != 0 && string(l.Body) != strings.Repeat("a message of many pages ", 200):
		p.fail("message %d of class %d has lost pages", l.Number, l.Class)
	}
	if l.Class < 2 {
		p.Next[l.Class]++
	} else {
		p.Seen[l.Class][l.Number] = true
	}
}

func (p *Peer) fail(format string, args ...any) {
	if p.Fault == "" {
		p.Fault = fmt.Sprintf(format, args...)
	}
}

// AllArrived reports whether everything that p posted has arrived at peer.
func (p *Peer) AllArrived(peer *Peer) bool {
	return peer.Next[0] == p.Posted[0] && peer.Next[1] == p.Posted[1] &&
		len(peer.Seen[2]) == int(p.Posted[2]) && p.Events.Idle()
}
