package netcore

import (
	"fmt"
	"io"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// ConnectOptions are the options of Endpoint.Connect.
type ConnectOptions struct {
	// Key pins the server's key: every other key is refused. Without Key, Trust decides on the
	// server's key. Without both, the connection fails.
	Key   *seal.Key
	Trust func(to Addr, k seal.Key) error

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
type Pending struct {
	to       Addr
	options  ConnectOptions
	offer    offer
	deadline Time

	nonce     seal.Nonce
	cookie    seal.Cookie
	key       seal.Key        // the server's key, once it is known
	initiator *seal.Initiator // nil in the challenge stage

	challenge []byte
	request   []byte // empty in the challenge stage
	tries     int    // of this stage
	next      Time   // when to send the next packet
	wait      Time   // the delay after that packet
	over      bool
	fault     *Reason // an error of the caller, not reported yet
}

// Addr returns the server's address.
func (p *Pending) Addr() Addr { return p.to }

// Key returns the server's key, or the zero Key before the server has sent it.
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
	p.startStage(now)
	return p, nil
}

// startStage starts a stage: its packet is due immediately.
func (p *Pending) startStage(now Time) {
	p.tries, p.next, p.wait = 0, now, connectRetryFirst
}

// send sends the packet of the current stage if it is due.
func (p *Pending) send(now Time, out func(Addr, []byte)) {
	if p.over || p.fault != nil || now < p.next {
		return
	}
	p.next = now + p.wait
	p.wait = min(p.wait*3/2, connectRetryLast)
	p.tries++
	if p.initiator == nil || p.tries%4 == 0 {
		out(p.to, p.challenge)
		return
	}
	out(p.to, p.request)
}

// handleChallenge handles the server's challenge response. If the key is trusted, it enters the request
// stage. If not, it returns the reason and false, and the attempt ends.
func (p *Pending) handleChallenge(now Time, entropy io.Reader, id seal.KeyPair, cookie seal.Cookie, key seal.Key) (Reason, bool) {
	if p.initiator != nil && p.cookie == cookie {
		return Reason{}, true // a repetition
	}
	p.key, p.cookie = key, cookie
	if r, ok := p.trust(key); !ok {
		return r, false
	}
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
	p.initiator, p.request = initiator, packet
	p.startStage(now)
	return Reason{}, true
}

// trust decides on the server's key. A pinned key decides alone. Without one the Trust callback
// decides, and without Trust every key is refused.
func (p *Pending) trust(key seal.Key) (Reason, bool) {
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
	if err := p.options.Trust(p.to, key); err != nil {
		return Reason{Code: KeyChanged, Text: err.Error()}, false
	}
	return Reason{}, true
}
