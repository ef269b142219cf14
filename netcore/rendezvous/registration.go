package rendezvous

import (
	"encoding/binary"
	"io"
	"slices"
	"time"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

const (
	renewTime  = 10 * time.Second       // between two renewals; routers keep the port of a silent program for 30 s and more
	retryFirst = 500 * time.Millisecond // between two requests, then twice as long each time
	retryLast  = 10 * time.Second
	maxTries   = 4 // requests of one stage

	punchTries = 6
	punchFirst = 200 * time.Millisecond // between two punches, then twice as long each time: 6 s in all
	maxPunches = 64                     // clients at once

	punchesPerSecond     = 20 // new clients
	hostPunches          = 4  // clients at once, per IPv4 address or IPv6 /64
	hostPunchesPerSecond = 2  // new clients per second; an IPv6 /48 has four times as much
)

// newPunches are the new clients of all hosts.
var newPunches = rate.Limit{PerSecond: punchesPerSecond, Burst: introductionsAtOnce}

// Registration keeps a server registered at one address of a rendezvous, and punches to the clients
// that the rendezvous introduces.
//
//	asking ──challenge──▶ proving ──registered──▶ registered ◀──10 s──▶ renewing
//	   ▲                     │                        │ an hour            │
//	   └── four requests ────┴────────────────────────┴── three renewals ──┘
type Registration struct {
	to       netcore.Addr
	identity seal.KeyPair
	entropy  io.Reader

	nonce     seal.Nonce
	initiator *seal.Initiator // nil: asking
	request   []byte          // nil: registered
	tries     int
	next      netcore.Time // of the next request
	wait      time.Duration
	until     netcore.Time // registered until then
	renewal   renewal

	sessions      [2]session // the newest first
	introductions netcore.SharedLimiter
	punches       []punch
}

// session opens the introductions of one registration.
type session struct {
	nonce seal.Nonce
	keys  *seal.Session // nil: none
	last  uint64        // number of the newest introduction
}

// punch is a client whose address the router must let in.
type punch struct {
	to    netcore.Addr
	next  netcore.Time
	tries int
}

// NewRegistration begins to register a server.
func NewRegistration(now netcore.Time, entropy io.Reader, identity seal.KeyPair, to netcore.Addr) *Registration {
	return &Registration{to: to.Remote(), identity: identity, entropy: entropy, next: now, wait: retryFirst}
}

// Registered reports whether the rendezvous knows the server.
func (r *Registration) Registered(now netcore.Time) bool { return now < r.until }

// Send passes on the packets that are due.
func (r *Registration) Send(now netcore.Time, out func(to netcore.Addr, b []byte)) {
	if now >= r.next && (r.request != nil || !r.renew(now, out)) {
		if r.request == nil || r.tries == maxTries {
			r.ask()
		}
		out(r.to, r.request)
		r.tries++
		r.next, r.wait = now+r.wait, min(2*r.wait, retryLast)
	}
	for i := range r.punches {
		if p := &r.punches[i]; now >= p.next {
			out(p.to, appendHead(nil, packetPunch, seal.Nonce{}))
			p.next = now + punchFirst<<p.tries
			p.tries++
		}
	}
	r.punches = slices.DeleteFunc(r.punches, func(p punch) bool { return p.tries == punchTries })
}

// ask asks for a challenge.
func (r *Registration) ask() {
	if _, err := io.ReadFull(r.entropy, r.nonce[:]); err != nil {
		panic("BUG: no entropy: " + err.Error())
	}
	r.initiator, r.tries = nil, 0
	r.request = appendRequest(packetRegister, r.nonce, seal.Cookie{}, nil)
}

// Receive handles a datagram.
func (r *Registration) Receive(now netcore.Time, from netcore.Addr, b []byte) {
	if from.Remote() != r.to {
		return
	}
	if cookie, key, ok := parseChallenge(b, r.nonce); ok && r.request != nil && r.initiator == nil {
		r.prove(now, cookie, key)
	}
	if nonce, rest, ok := parseHead(b, packetRegistered, registeredSize); ok && r.initiator != nil && nonce == r.nonce {
		r.registered(now, rest)
	}
	if nonce, rest, ok := parseHead(b, packetRenewed, renewedSize); ok {
		r.renewed(now, nonce, b[:renewedHead], rest)
	}
	if nonce, rest, ok := parseHead(b, packetIntroduction, introductionSize); ok {
		r.introduced(now, nonce, b[:headSize+8], rest)
	}
}

// prove asks to be registered, by a key exchange that proves the key of the server.
func (r *Registration) prove(now netcore.Time, cookie seal.Cookie, key seal.Key) {
	initiator, err := seal.NewInitiator(r.entropy, r.identity, key, prologue(seal.Puzzle{Nonce: r.nonce, Cookie: cookie}))
	if err != nil {
		return
	}
	body, err := initiator.Write(nil, nil)
	if err != nil {
		return // not the key of a rendezvous
	}
	r.initiator, r.request = initiator, appendRequest(packetRegister, r.nonce, cookie, body)
	r.tries, r.next, r.wait = 0, now, retryFirst
}

// registered ends a key exchange. The first renewal follows at once: it says what the server wants.
func (r *Registration) registered(now netcore.Time, second []byte) {
	_, keys, err := r.initiator.Read(second)
	if err != nil {
		return
	}
	r.sessions[0], r.sessions[1] = session{nonce: r.nonce, keys: keys}, r.sessions[0]
	r.initiator, r.request = nil, nil
	r.next, r.until = now, now+keepTime
	r.wait = retryFirst
	early := time.Duration(r.nonce[0]) * exchangeSpread
	r.renewal = renewal{exchange: now + exchangeTime - early, public: r.renewal.public, lists: r.renewal.lists}
}

// introduced begins to punch to a client. The rendezvous has sealed the address, and numbers its
// introductions.
func (r *Registration) introduced(now netcore.Time, nonce seal.Nonce, head, rest []byte) {
	number := binary.LittleEndian.Uint64(rest)
	for i := range r.sessions {
		s := &r.sessions[i]
		if s.keys == nil || s.nonce != nonce || number <= s.last {
			continue
		}
		text, err := s.keys.Open(nil, head, rest[8:], 0, number)
		if err != nil {
			continue
		}
		s.last = number
		if to, ok := parseAddr(text); ok {
			r.punch(now, to)
		}
	}
}

// punch begins to punch to a client. One host with many ports cannot use up what all clients share.
func (r *Registration) punch(now netcore.Time, to netcore.Addr) {
	ofHost := 0
	for _, p := range r.punches {
		if p.to == to {
			return
		}
		if p.to.Host() == to.Host() {
			ofHost++
		}
	}
	if ofHost == hostPunches || !isPeer(to, r.to) || !r.introductions.Admit(now, to, perSecond(hostPunchesPerSecond), newPunches) {
		return
	}
	if len(r.punches) == maxPunches {
		r.punches = slices.Delete(r.punches, 0, 1) // it has had most of its tries
	}
	r.punches = append(r.punches, punch{to: to, next: now})
}
