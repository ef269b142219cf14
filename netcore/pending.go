package netcore

import (
	"fmt"
	"io"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// ConnectOptions say how to connect, and to whom.
type ConnectOptions struct {
	// Key pins the server's key: any other is refused. Without it Trust decides
	// on the key that the server shows; without either nothing is trusted.
	Key   *seal.Key
	Trust func(to Addr, k seal.Key) error

	Name, Password string   // at most 255 bytes each
	Args           []string // at most 16 of at most 255 bytes, and all in one packet
	Timeout        Time     // for the whole handshake; 15 s
	Roles          byte     // passed on to the server's Request
	User           any      // becomes Conn.User on this side
}

const (
	connectTimeout    = 15 * time.Second
	connectRetryFirst = 500 * time.Millisecond
	connectRetryLast  = 2500 * time.Millisecond
)

// Pending is a connection being made by this side.
//
//	challenge ──response, key trusted──▶ request ──accept──▶ Conn
//	    └────────── timeout, distrust, refusal, Cancel ────▶ Failed
//
// Each stage repeats its packet after 0.5 s, then after ever longer times up
// to 2.5 s. The packet of a stage is always the same bytes, so the server can
// tell a repetition from a second attempt. Every fourth packet of the request
// stage is the challenge again: if the server was started anew, or the cookie
// grew old, the response brings another cookie and the stage begins afresh.
type Pending struct {
	to       Addr
	options  ConnectOptions
	offer    offer
	deadline Time

	nonce     seal.Nonce
	cookie    seal.Cookie
	key       seal.Key        // the server's, once shown
	initiator *seal.Initiator // nil in the challenge stage

	challenge []byte
	request   []byte // empty in the challenge stage
	tries     int    // of this stage
	next      Time   // when to send
	wait      Time   // and how long to wait after that
	over      bool
	fault     *Reason // a mistake of the caller's, not told yet
}

// Addr returns where the connection is to lead.
func (p *Pending) Addr() Addr { return p.to }

// Key returns the key the server has shown, or the zero Key before it did.
func (p *Pending) Key() seal.Key { return p.key }

// Cancel gives the attempt up without a word to anybody; Failed is not called.
func (p *Pending) Cancel() { p.over = true }

// Over reports whether the attempt has come to an end of any kind.
func (p *Pending) Over() bool { return p.over }

// newPending starts the challenge stage. An error is one the caller made.
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
	p.enter(now)
	return p, nil
}

// enter starts a stage: its packet goes out at once.
func (p *Pending) enter(now Time) {
	p.tries, p.next, p.wait = 0, now, connectRetryFirst
}

// send passes the stage's packet on when it is due.
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

// challenged takes the server's answer to the challenge stage and, when the
// key is trusted, enters the request stage. It returns why not, if it ends the
// attempt.
func (p *Pending) challenged(now Time, entropy io.Reader, id seal.Identity, cookie seal.Cookie, key seal.Key) (Reason, bool) {
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
		panic("BUG: an offer that fitted does not fit: " + err.Error())
	}
	packet := appendConnectRequestHead(make([]byte, 0, MaxDatagram), p.nonce, cookie)
	packet, err = initiator.Write(packet, payload)
	if err != nil {
		return Reason{Code: BadPacket, Text: "the server's key is unusable"}, false
	}
	p.initiator, p.request = initiator, packet
	p.enter(now)
	return Reason{}, true
}

// trust decides on the key the server has shown (ruling K1).
func (p *Pending) trust(key seal.Key) (Reason, bool) {
	if pinned := p.options.Key; pinned != nil {
		if key == *pinned {
			return Reason{}, true
		}
		text := fmt.Sprintf("the server shows key %s, not the expected %s", key.Fingerprint(), pinned.Fingerprint())
		return Reason{Code: KeyChanged, Text: text}, false
	}
	if p.options.Trust == nil {
		return Reason{Code: KeyChanged, Text: "nothing vouches for the server's key " + key.Fingerprint()}, false
	}
	if err := p.options.Trust(p.to, key); err != nil {
		return Reason{Code: KeyChanged, Text: err.Error()}, false
	}
	return Reason{}, true
}
