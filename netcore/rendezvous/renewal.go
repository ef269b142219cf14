package rendezvous

import (
	"encoding/binary"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// A renewal keeps a registration without a key exchange. The session of the registration seals it
// and its answer, and numbers both, so nobody can forge or repeat one.
//
//	Renewal   head | key of the server | number 8 | sealed: flags 1 | tag
//	Renewed   head | number 8 | sealed: flags 1 | tag
//
// The nonce of both is that of the registration. A rendezvous that knows no renewals ignores them:
// the server registers anew, as before.
const (
	renewalHead = headSize + keySize + 8
	renewalSize = renewalHead + 1 + seal.Overhead
	renewedHead = headSize + 8
	renewedSize = renewedHead + 1 + seal.Overhead

	kindRenewal = 1 // of the nonces of a session; introductions are of kind 0

	renewTries = 3 // renewals without an answer before the next key exchange
	leaveTries = 3 // copies of the last renewal: nothing answers it
	// exchangeTime is the longest time between two key exchanges of a server. The rendezvous
	// accepts renewals for twice as long.
	exchangeTime = time.Hour
	// exchangeSpread is how much earlier some servers exchange keys, so that those that began
	// together do not stay together.
	exchangeSpread = time.Second
)

// The flags of Renewal and Renewed.
const (
	flagPublic = 1 // Renewal: the server wants to be in the public list
	flagLeaves = 2 // Renewal: the server ends, and so does its registration
	flagLists  = 1 // Renewed: the rendezvous keeps a public list
)

// renewal is the part of a Registration that renews it.
type renewal struct {
	number   uint64       // of the newest renewal of this session
	answered uint64       // number of the newest answer
	tries    int          // renewals since the newest answer
	exchange netcore.Time // time of the next key exchange
	public   bool
	lists    Answer
}

// Answer is what is known about a yes or no of a rendezvous.
type Answer uint8

// The answers.
const (
	Unanswered Answer = iota
	Yes
	No
)

// SetPublic says whether the rendezvous lists the server in its public list. A change is sent at
// once.
func (r *Registration) SetPublic(now netcore.Time, public bool) {
	if r.renewal.public == public {
		return
	}
	r.renewal.public = public
	if r.request == nil && r.sessions[0].keys != nil {
		r.next, r.wait, r.renewal.tries = now, retryFirst, 0
	}
}

// Lists reports whether the rendezvous keeps a public list. A rendezvous that answers no renewal
// keeps none.
func (r *Registration) Lists() Answer { return r.renewal.lists }

// renew passes on a renewal. It returns false if a key exchange is due instead.
func (r *Registration) renew(now netcore.Time, out func(to netcore.Addr, b []byte)) bool {
	n := &r.renewal
	switch s := &r.sessions[0]; {
	case s.keys == nil || now >= n.exchange:
		return false
	case n.tries < renewTries:
		n.tries++
		out(r.to, r.seal(n.flags()))
		r.next, r.wait = now+r.wait, 2*r.wait
	case n.answered > 0:
		return false // the rendezvous has begun anew, or this server has another address
	default:
		// It knows no renewals, or all were lost.
		n.lists, n.exchange = No, max(now, r.until-keepTime+renewTime)
		r.next = n.exchange
	}
	return true
}

// Leave ends the registration. The server ends, so it repeats the packet without waiting for an
// answer. A rendezvous that does not know it waits for the end of the registration.
func (r *Registration) Leave(out func(to netcore.Addr, b []byte)) {
	if r.sessions[0].keys == nil {
		return
	}
	for range leaveTries {
		out(r.to, r.seal(flagLeaves))
	}
}

// seal returns the next renewal of the newest session.
func (r *Registration) seal(flags byte) []byte {
	s, n := &r.sessions[0], &r.renewal
	n.number++
	b := append(appendHead(make([]byte, 0, renewalSize), packetRenewal, s.nonce), r.identity.Public[:]...)
	b = binary.LittleEndian.AppendUint64(b, n.number)
	return s.keys.Seal(b, b, []byte{flags}, kindRenewal, n.number)
}

func (n *renewal) flags() byte {
	if n.public {
		return flagPublic
	}
	return 0
}

// renewed handles the answer to a renewal.
func (r *Registration) renewed(now netcore.Time, nonce seal.Nonce, head, rest []byte) {
	s, n, number := &r.sessions[0], &r.renewal, binary.LittleEndian.Uint64(rest)
	if s.keys == nil || nonce != s.nonce || number <= n.answered || number > n.number {
		return
	}
	text, err := s.keys.Open(nil, head, rest[8:], kindRenewal, number)
	if err != nil {
		return
	}
	n.answered, n.tries, n.lists = number, 0, No
	if text[0]&flagLists != 0 {
		n.lists = Yes
	}
	r.until = now + keepTime
	if r.request == nil {
		r.next, r.wait = now+renewTime, retryFirst
	}
}

// renew keeps the registration of a server for a renewal.
func (s *Service) renew(now netcore.Time, from netcore.Addr, b []byte, out func(to netcore.Addr, b []byte)) {
	nonce, rest, ok := parseHead(b, packetRenewal, renewalSize)
	if !ok {
		return
	}
	e := s.servers[seal.Key(rest)]
	p := e.path(from, nonce)
	number := binary.LittleEndian.Uint64(rest[keySize:])
	if p == nil || number <= p.renewed || now >= p.until || now >= p.began+2*exchangeTime {
		return
	}
	text, err := p.session.Open(nil, b[:renewalHead], rest[keySize+8:], kindRenewal, number)
	if err != nil || s.refuses(e.key, from) {
		return
	}
	p.renewed, p.until = number, now+keepTime
	if text[0]&flagLeaves != 0 {
		s.leave(now, e.key, p)
		return
	}
	answer := binary.LittleEndian.AppendUint64(appendHead(make([]byte, 0, renewedSize), packetRenewed, nonce), number)
	flags := byte(0)
	if s.Renewed != nil {
		flags = flagLists
		s.Renewed(e.key, p.addr, text[0]&flagPublic != 0)
	}
	out(from, p.session.Seal(answer, answer, []byte{flags}, kindRenewal, number))
}

// leave ends the registration of an address. It gets no answer: the server has ended.
func (s *Service) leave(now netcore.Time, key seal.Key, p *path) {
	p.until = now
	if s.Renewed != nil {
		s.Renewed(key, p.addr, false)
	}
}

// path returns the address of a server with a session, or nil. e can be nil.
func (e *entry) path(from netcore.Addr, nonce seal.Nonce) *path {
	if e == nil {
		return nil
	}
	for i := range e.paths {
		if p := &e.paths[i]; p.nonce == nonce && p.addr.Remote() == from.Remote() {
			return p
		}
	}
	return nil
}
