package netcore_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

// letter is an event that says which of its class it is, with a tag and
// perhaps a body larger than a packet.
type letter struct {
	number uint64
	class  int // 0 ordered commands, 1 ordered bulk, 2 guaranteed, 3 unguaranteed
	tag    netcore.TagRef
	body   []byte
}

var (
	letterKinds = netcore.NewKinds(netcore.EventKind{Name: "letter", New: func() netcore.Event { return new(letter) }})
	letterID    = letterKinds.ID("letter")
)

func (l *letter) KindID() netcore.EventID { return letterID }

func (l *letter) Serialize(s *netcore.EventCodec) {
	s.Var(&l.number)
	s.Int(&l.class, 0, 3)
	s.Tag(&l.tag)
	s.Bytes(&l.body, 64<<10)
}

func (l *letter) Process(c *netcore.Conn) error {
	c.User.(*correspondent).got(l)
	return nil
}

// tagOf is what letter n of a class must be tagged with.
func tagOf(class int, n uint64) string { return fmt.Sprintf("tag %d of class %d", n%17, class) }

// A correspondent posts letters on one end of a line and reads the other's.
type correspondent struct {
	conn   *netcore.Conn
	events *netcore.Events
	rng    *rand.Rand
	quiet  bool
	posted [4]uint64
	next   [4]uint64          // ordered: the number that must come next
	seen   [4]map[uint64]bool // unordered: each at most once
	fault  string
}

func newCorrespondent(seed uint64, to netcore.Addr, keys *seal.Pair, server bool, cfg netcore.ConnConfig) *correspondent {
	p := &correspondent{rng: rand.New(rand.NewPCG(seed, uint64(to.Port)))}
	p.seen[2], p.seen[3] = map[uint64]bool{}, map[uint64]bool{}
	cfg.Addr, cfg.Keys, cfg.Seed = to, keys, seed
	cfg.Streams = func(*netcore.Conn) []netcore.Stream {
		p.events = netcore.NewEvents(netcore.EventsConfig{Kinds: letterKinds, Server: server, Check: cfg.Check})
		return []netcore.Stream{p.events}
	}
	p.conn = netcore.NewConn(0, cfg)
	p.conn.User = p
	return p
}

func (p *correspondent) Receive(now netcore.Time, _ netcore.Addr, d []byte) { p.conn.Receive(now, d) }
func (p *correspondent) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	p.conn.Send(now, out)
}

func (p *correspondent) Tick(now netcore.Time) {
	if !p.quiet && p.rng.IntN(3) == 0 {
		for range 1 + p.rng.IntN(6) {
			p.post()
		}
	}
	p.conn.Tick(now)
}

func (p *correspondent) post() {
	class := p.rng.IntN(4)
	n := p.posted[class]
	l := &letter{number: n, class: class, tag: netcore.TagRef{Text: tagOf(class, n)}}
	if class < 2 && p.rng.IntN(40) == 0 {
		l.body = []byte(strings.Repeat("a letter of many pages ", 200))
	}
	post := netcore.Post{Channel: uint8(class & 1)} // one lane each: the order is fixed
	switch class {
	case 2:
		post = netcore.Post{Guarantee: netcore.Guaranteed, Priority: uint8(n % 4)}
	case 3:
		post = netcore.Post{Guarantee: netcore.Unguaranteed, Priority: uint8(n % 4)}
	}
	if p.events.Post(l, post) == nil {
		p.posted[class]++
	}
}

func (p *correspondent) got(l *letter) {
	switch {
	case l.tag.Text != tagOf(l.class, l.number):
		p.blame("letter %d of class %d has tag %q", l.number, l.class, l.tag.Text)
	case l.class < 2 && l.number != p.next[l.class]:
		p.blame("letter %d of class %d, expected %d", l.number, l.class, p.next[l.class])
	case l.class >= 2 && p.seen[l.class][l.number]:
		p.blame("letter %d of class %d twice", l.number, l.class)
	case len(l.body) != 0 && string(l.body) != strings.Repeat("a letter of many pages ", 200):
		p.blame("letter %d of class %d has lost pages", l.number, l.class)
	}
	if l.class < 2 {
		p.next[l.class]++
	} else {
		p.seen[l.class][l.number] = true
	}
}

func (p *correspondent) blame(format string, args ...any) {
	if p.fault == "" {
		p.fault = fmt.Sprintf(format, args...)
	}
}

// settled reports that everything posted at p has come out at peer.
func (p *correspondent) settled(peer *correspondent) bool {
	return peer.next[0] == p.posted[0] && peer.next[1] == p.posted[1] &&
		len(peer.seen[2]) == int(p.posted[2]) && p.events.Idle()
}

// correspondence runs one seed: ten seconds of letters in bad weather, in some
// a blackout of thirty seconds, then silence until all has settled.
func correspondence(seed uint64) (hash uint64, err error) {
	r := rand.New(rand.NewPCG(seed, 5))
	cfg := netcore.ConnConfig{
		Check:    r.IntN(4) == 0,
		MaxSend:  netcore.Rate{Packets: 125, Size: 200 + r.IntN(1001)},
		PeerRate: netcore.Rate{Packets: 31.25, Size: 200 + r.IntN(1001)},
		Timeout:  5 * time.Minute,
	}
	ka, kb := netcoretest.Pairs(seed)
	a := newCorrespondent(seed, there, ka, true, cfg)
	b := newCorrespondent(seed, here, kb, false, cfg)
	n := netsim.New(seed)
	n.Attach(here, a)
	n.Attach(there, b)
	n.Link(here, there, netsim.Weather(r, .5), netsim.Weather(r, .5))
	if r.IntN(5) == 0 {
		n.Blackout(5*time.Second, 35*time.Second)
	}
	n.Run(10*time.Second, 32*ms)
	a.quiet, b.quiet = true, true
	n.Link(here, there, netcore.LinkParams{Delay: 20 * ms}, netcore.LinkParams{Delay: 20 * ms})
	done := n.RunWhile(4*time.Minute, 32*ms, func() bool { return !a.settled(b) || !b.settled(a) })
	for _, p := range []*correspondent{a, b} {
		if why, ended := p.conn.Closed(); ended {
			return 0, fmt.Errorf("the connection ended: %v", why)
		}
		if p.fault != "" {
			return 0, fmt.Errorf("%s", p.fault)
		}
	}
	if !done {
		return 0, fmt.Errorf("not settled: a posted %v, b has %v and %d; b posted %v, a has %v and %d",
			a.posted, b.next, len(b.seen[2]), b.posted, a.next, len(a.seen[2]))
	}
	return n.Hash(), nil
}

// Guaranteed letters come exactly once, ordered ones in order, unguaranteed
// ones at most once, tags are always the right ones, and a seed tells the same
// story twice.
func TestLettersInBadWeather(t *testing.T) {
	for seed := range testenv.Seeds(t, 8, 60) {
		first, err := correspondence(seed)
		require.NoError(t, err, "seed %d", seed)
		again, err := correspondence(seed)
		require.NoError(t, err, "seed %d", seed)
		assert.Equal(t, first, again, "seed %d", seed)
	}
}
