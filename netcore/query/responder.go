package query

import (
	"io"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// The limits of a server, per second. A challenge costs one MAC, an answer two. The address of a
// challenge is not proven, so nobody can share the challenges by address: there are enough of them.
const (
	challengesPerSecond = 20_000
	answersPerSecond    = 200
	answersByAddress    = 4
)

// Responder answers queries. To an address that has not proven that it receives packets, it sends
// 34 bytes for 512, and stores nothing.
type Responder struct {
	cookies    *seal.Cookies
	challenges netcore.AddressLimiter // of all addresses together
	answers    netcore.SharedLimiter
	address    []byte
	packet     []byte
}

// NewResponder draws the secret of the cookies. It panics if entropy cannot be read.
func NewResponder(entropy io.Reader) *Responder {
	cookies, err := seal.NewCookies(entropy)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &Responder{cookies: cookies}
}

// Answer returns the answer to a datagram, or nil. It is valid until the next call. info is called
// only for an address that has proven that it receives packets.
func (r *Responder) Answer(now netcore.Time, from netcore.Addr, b []byte, info func() Info) []byte {
	p, ok := parseRequest(b)
	if !ok {
		return nil
	}
	r.address = from.AppendRemote(r.address[:0]) // a search asks a group first, and then this address
	if !r.cookies.Check(now, r.address, p) {
		return r.challenge(now, p)
	}
	if !r.answers.Admit(now, from, perSecond(answersByAddress), perSecond(answersPerSecond)) {
		return nil
	}
	known := info()
	r.packet = known.append(appendHead(r.packet[:0], packetAnswer, p.Nonce))
	return r.packet
}

// perSecond is a limit per second, and at once.
func perSecond(n float64) rate.Limit { return rate.Limit{PerSecond: n, Burst: n} }

// challenge answers a request without a valid cookie.
func (r *Responder) challenge(now netcore.Time, p seal.Puzzle) []byte {
	if !r.challenges.Admit(now, netcore.Addr{}, challengesPerSecond) {
		return nil
	}
	cookie := r.cookies.Make(now, r.address, p.Nonce, 0)
	r.packet = append(appendHead(r.packet[:0], packetChallenge, p.Nonce), cookie[:]...)
	return r.packet
}
