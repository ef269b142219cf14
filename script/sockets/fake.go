package sockets

import (
	"fmt"
	"net/netip"
	"slices"
)

// Fake is the network of a test: the test plays the other side. It answers at once, so a mod gets
// the result in the next tick.
type Fake struct {
	replies   map[string]reply // by URL
	requests  []HTTPRequest    // that the test has not read
	expected  map[string][]*peer
	peers     map[ID]*peer
	listeners map[ID]netip.AddrPort
	accepted  ID
	port      uint16 // the last one given for port 0
	events    []Event
}

// A reply is the answer of a URL in a test. err is the reason if there is no response.
type reply struct {
	Event
	err string
}

// A peer is the other side of a connection in a test.
type peer struct {
	fake     *Fake
	id       ID     // 0 until connected
	early    []byte // sent by the test before the connection was open
	received []byte
	open     bool
}

// NewFake returns a network that the rows of TestRows control.
func NewFake() *Fake {
	return &Fake{
		replies: map[string]reply{}, expected: map[string][]*peer{}, peers: map[ID]*peer{}, listeners: map[ID]netip.AddrPort{},
		accepted: FirstAccepted, port: 40_000,
	}
}

// maxSeen is the number of requests that a Fake stores for the test.
const maxSeen = 10_000

// HTTP is part of Network.
func (f *Fake) HTTP(id ID, r HTTPRequest) {
	if len(f.requests) < maxSeen {
		f.requests = append(f.requests, r)
	}
	answer, known := f.replies[r.URL]
	switch {
	case !known:
		f.end(id, "the test has no httpReply for "+r.URL)
	case answer.err != "":
		f.end(id, answer.err)
	default:
		answer.ID = id
		f.events = append(f.events, answer.Event)
	}
}

func (f *Fake) end(id ID, why string) {
	f.events = append(f.events, Event{Kind: Ended, ID: id, Reason: why})
}

// Connect is part of Network.
func (f *Fake) Connect(id ID, to Target) {
	at := fmt.Sprintf("%s:%d", to.Host, to.Port)
	waiting := f.expected[at]
	if len(waiting) == 0 {
		f.end(id, "the test has no tcpPeer for "+at)
		f.events = append(f.events, Event{Kind: Closed, ID: id})
		return
	}
	p := waiting[0]
	f.expected[at] = waiting[1:]
	f.open(p, id)
	f.events = append(f.events, Event{Kind: Connected, ID: id, Address: at})
	if len(p.early) > 0 {
		f.events = append(f.events, Event{Kind: Received, ID: id, Data: p.early})
	}
}

func (f *Fake) open(p *peer, id ID) {
	p.id, p.open = id, true
	f.peers[id] = p
}

// Listen is part of Network.
func (f *Fake) Listen(id ID, at netip.AddrPort) {
	if at.Port() == 0 {
		f.port++
		at = netip.AddrPortFrom(at.Addr(), f.port)
	}
	for _, other := range f.listeners { // any order: a port has one listener
		if other.Port() == at.Port() {
			f.end(id, fmt.Sprintf("port %d is in use", at.Port()))
			return
		}
	}
	f.listeners[id] = at
	f.events = append(f.events, Event{Kind: Listening, ID: id, Address: at.String()})
}

// dial connects a peer to a listener of the mod. It reports whether one listens on the port.
func (f *Fake) dial(port int) (*peer, bool) {
	for id, at := range f.listeners { // any order: a port has one listener
		if int(at.Port()) == port {
			p := &peer{fake: f}
			f.open(p, f.accepted)
			f.accepted++
			f.events = append(f.events, Event{Kind: Accepted, ID: p.id, Listener: id, Address: fmt.Sprintf("127.0.0.1:%d", 50_000+p.id-FirstAccepted)})
			return p, true
		}
	}
	return nil, false
}

// Send is part of Network.
func (f *Fake) Send(id ID, data []byte) {
	if p := f.peers[id]; p != nil {
		p.received = append(p.received, data...)
		f.events = append(f.events, Event{Kind: Sent, ID: id, N: len(data)})
	}
}

// Credit is part of Network. A test sends little, so nothing waits for it.
func (f *Fake) Credit(ID, int) {}

// Close is part of Network.
func (f *Fake) Close(id ID, _ bool) {
	f.events = slices.DeleteFunc(f.events, func(e Event) bool { return e.ID == id && e.Kind != Closed })
	if p := f.peers[id]; p != nil {
		p.open = false
		f.events = append(f.events, Event{Kind: Closed, ID: id})
	}
	delete(f.peers, id)
	delete(f.listeners, id)
}

// Events is part of Network.
func (f *Fake) Events() []Event {
	list := f.events
	f.events = nil
	return list
}
