package netcore

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// ConnectOptions are the options of Endpoint.Connect.
type ConnectOptions struct {
	// Key pins the server's key: every other key is refused. Without Key, Trust decides on the
	// server's key. Without both, the connection fails.
	Key   *seal.Key
	Trust func(to Addr, k seal.Key) error

	// Others are further addresses of the server. Each gets its first challenge request 250 ms after
	// the one before. The first address that answers with a trusted key gets the connect request.
	Others []Addr

	Name, Password string   // at most 255 bytes each
	Args           []string // at most 16 of at most 255 bytes; all must fit one packet
	Timeout        Time     // for the whole handshake; default 15 s
	Roles          byte     // passed on to the server's Request
	User           any      // becomes Conn.User on this side
}

const (
	connectTimeout    = 15 * time.Second
	connectRetryFirst = 500 * time.Millisecond
	connectRetryLast  = 2500 * time.Millisecond
	addressDelay      = 250 * time.Millisecond // between the first packets to two addresses
)

// Pending is this side's attempt to connect.
//
//	challenge ──response, key trusted──▶ request ──accept──▶ Conn
//	    └────────── timeout, distrust, refusal, Cancel ────▶ Failed
//
// Each stage repeats its packet after 0.5 s. The delay then grows up to 2.5 s. The repeated packet
// always has the same bytes, so the server recognises a repetition. In the request stage every
// fourth packet is the challenge again. If the server was restarted or the cookie has expired, the
// response brings a new cookie, and the request stage starts again.
//
// In the challenge stage all addresses of the server are tried. An address whose key is not trusted
// is given up. The attempt fails when none is left.
type Pending struct {
	to       Addr   // the first address, then the one that answered
	trying   []path // the addresses of the challenge stage; empty in the request stage
	options  ConnectOptions
	offer    offer
	deadline Time

	nonce     seal.Nonce
	cookie    seal.Cookie
	key       seal.Key        // the server's key, once it is known
	initiator *seal.Initiator // nil in the challenge stage

	challenge []byte
	request   []byte // empty in the challenge stage
	tries     int    // of the request stage
	retry     retry  // of the request stage
	over      bool
	fault     *Reason // an error of the caller, not reported yet
	distrust  *Reason // why the last address was given up
}

// path is one address of the server in the challenge stage.
type path struct {
	to Addr
	retry
}

// retry is the schedule of a repeated packet.
type retry struct {
	next Time // when to send the next packet
	wait Time // the delay after that packet
}

func newRetry(first Time) retry { return retry{first, connectRetryFirst} }

// take reports whether the packet is due, and schedules the next one.
func (r *retry) take(now Time) bool {
	if now < r.next {
		return false
	}
	r.next = now + r.wait
	r.wait = min(r.wait*3/2, connectRetryLast)
	return true
}

// Addr returns the server's address: the first one, or after an answer the one that answered.
func (p *Pending) Addr() Addr { return p.to }

// Key returns the server's key, or the zero Key before the server has sent a trusted one.
func (p *Pending) Key() seal.Key { return p.key }

// Cancel stops the attempt. It sends nothing, and Failed is not called.
func (p *Pending) Cancel() { p.over = true }

// Over reports whether the attempt has ended, for any reason.
func (p *Pending) Over() bool { return p.over }

// newPending starts the challenge stage. An error means that the options are invalid or that
// entropy cannot be read.
func newPending(now Time, entropy io.Reader, to Addr, o ConnectOptions, f offer) (*Pending, error) {
	if o.Timeout <= 0 {
		o.Timeout = connectTimeout
	}
	p := &Pending{to: to, options: o, offer: f, deadline: now + o.Timeout}
	if _, err := packOffer(&f); err != nil {
		return p, err
	}
	if _, err := io.ReadFull(entropy, p.nonce[:]); err != nil {
		return p, fmt.Errorf("no entropy to connect: %w", err)
	}
	p.challenge = appendChallengeRequest(nil, p.nonce)
	for i, to := range append([]Addr{to}, o.Others...) {
		p.trying = append(p.trying, path{to, newRetry(now + Time(i)*addressDelay)})
	}
	return p, nil
}

// expects reports whether the attempt expects packets from an address. It ignores Addr.Own, because
// an attempt does not know the address that it leaves from.
func (p *Pending) expects(from Addr) bool {
	from = from.Remote()
	if len(p.trying) == 0 {
		return p.to.Remote() == from
	}
	return slices.ContainsFunc(p.trying, func(t path) bool { return t.to.Remote() == from })
}

// due returns when send next has a packet.
func (p *Pending) due() Time {
	if len(p.trying) == 0 {
		return p.retry.next
	}
	due := Never
	for i := range p.trying {
		due = min(due, p.trying[i].next)
	}
	return due
}

// send sends the packets of the current stage that are due.
func (p *Pending) send(now Time, out func(Addr, []byte)) {
	if p.over || p.fault != nil {
		return
	}
	for i := range p.trying {
		if t := &p.trying[i]; t.take(now) {
			out(t.to, p.challenge)
		}
	}
	if p.initiator == nil || !p.retry.take(now) {
		return
	}
	if p.tries++; p.tries%4 == 0 {
		out(p.to, p.challenge)
		return
	}
	out(p.to, p.request)
}

// handleChallenge handles the server's challenge response. If the key is trusted, it enters the request
// stage with this address. If not, it gives the address up. If that was the last one, it returns
// the reason and false, and the attempt ends.
func (p *Pending) handleChallenge(now Time, entropy io.Reader, id seal.KeyPair, from Addr, cookie seal.Cookie, key seal.Key) (Reason, bool) {
	if p.initiator != nil && p.cookie == cookie {
		return Reason{}, true // a repetition
	}
	if r, ok := p.trust(from, key); !ok {
		p.distrust = &r
		p.trying = slices.DeleteFunc(p.trying, func(t path) bool { return t.to.Remote() == from.Remote() })
		return r, len(p.trying) > 0
	}
	p.to, p.key, p.cookie = from.Remote(), key, cookie
	initiator, err := seal.NewInitiator(entropy, id, key, prologue(p.nonce, cookie))
	if err != nil {
		return Reason{Code: Refused, Text: err.Error()}, false
	}
	payload, err := packOffer(&p.offer)
	if err != nil {
		panic("BUG: the offer is too long after its size check: " + err.Error())
	}
	packet := appendConnectRequestHead(make([]byte, 0, MaxDatagram), p.nonce, cookie)
	packet, err = initiator.Write(packet, payload)
	if err != nil {
		return Reason{Code: BadPacket, Text: "the server's key is unusable"}, false
	}
	p.initiator, p.request, p.trying = initiator, packet, nil
	p.tries, p.retry = 0, newRetry(now)
	return Reason{}, true
}

// trust decides on the server's key. A pinned key decides alone. Without one the Trust callback
// decides, and without Trust every key is refused.
func (p *Pending) trust(from Addr, key seal.Key) (Reason, bool) {
	if pinned := p.options.Key; pinned != nil {
		if key == *pinned {
			return Reason{}, true
		}
		text := fmt.Sprintf("the server's key is %s, expected %s", key.Fingerprint(), pinned.Fingerprint())
		return Reason{Code: KeyChanged, Text: text}, false
	}
	if p.options.Trust == nil {
		return Reason{Code: KeyChanged, Text: "cannot verify the server's key " + key.Fingerprint()}, false
	}
	if err := p.options.Trust(from, key); err != nil {
		return Reason{Code: KeyChanged, Text: err.Error()}, false
	}
	return Reason{}, true
}
