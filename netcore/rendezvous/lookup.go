package rendezvous

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

const (
	lookupRetry = 400 * time.Millisecond // between two requests
	lookupTime  = 5 * time.Second        // for all answers
	laterAnswer = 500 * time.Millisecond // for further answers after the first one with an address
	repeats     = 6                      // requests after the answer: the introduction can be lost
)

// The results of a lookup without an address.
var (
	ErrSilent  = errors.New("the rendezvous does not answer (is it running, and its UDP port open?)")
	ErrUnknown = errors.New("the rendezvous does not know the server (is it running with --rendezvous, and has it this key?)")
)

// Lookup asks a rendezvous for the addresses of a server. It asks each address of the rendezvous:
// the answer has only addresses of the same family of IP.
type Lookup struct {
	key      seal.Key
	nonce    seal.Nonce
	asked    []asked
	deadline netcore.Time
	found    []netcore.Addr
}

// asked is an address of the rendezvous.
type asked struct {
	to       netcore.Addr
	cookie   seal.Cookie
	next     netcore.Time
	answered bool
	repeats  int
}

// NewLookup begins to look up the server with a key.
func NewLookup(now netcore.Time, entropy io.Reader, key seal.Key, at []netcore.Addr) (*Lookup, error) {
	l := &Lookup{key: key, deadline: now + lookupTime}
	for _, to := range at {
		l.asked = append(l.asked, asked{to: to.Remote(), next: now})
	}
	if _, err := io.ReadFull(entropy, l.nonce[:]); err != nil {
		return nil, fmt.Errorf("no entropy for a lookup: %w", err)
	}
	return l, nil
}

// Send passes on the requests that are due. It goes on for a while after the lookup is done.
func (l *Lookup) Send(now netcore.Time, out func(to netcore.Addr, b []byte)) {
	for i := range l.asked {
		if a := &l.asked[i]; now >= a.next && a.repeats < repeats {
			a.next = now + lookupRetry
			if a.answered {
				a.repeats++
			}
			out(a.to, appendRequest(packetLookup, l.nonce, a.cookie, l.key[:]))
		}
	}
}

// Receive handles a datagram.
func (l *Lookup) Receive(now netcore.Time, from netcore.Addr, b []byte) {
	for i := range l.asked {
		a := &l.asked[i]
		if a.answered || a.to != from.Remote() {
			continue
		}
		if cookie, _, ok := parseChallenge(b, l.nonce); ok {
			a.cookie, a.next = cookie, now
		} else if found, ok := parseFound(b, l.nonce); ok {
			a.answered = true
			found = slices.DeleteFunc(found, func(at netcore.Addr) bool { return !isPeer(at, a.to) })
			if len(found) == 0 {
				a.repeats = repeats
			} else {
				l.found = append(l.found, found...)
				l.deadline = min(l.deadline, now+laterAnswer)
			}
		}
	}
}

// Done reports whether the lookup is over.
func (l *Lookup) Done(now netcore.Time) bool {
	for _, a := range l.asked {
		if !a.answered {
			return now >= l.deadline
		}
	}
	return true
}

// Result returns the addresses of the server, at least one.
func (l *Lookup) Result() ([]netcore.Addr, error) {
	if len(l.found) > 0 {
		return l.found, nil
	}
	for _, a := range l.asked {
		if a.answered {
			return nil, ErrUnknown
		}
	}
	return nil, ErrSilent
}

// parseFound returns the addresses of an answer with this nonce.
func parseFound(b []byte, nonce seal.Nonce) (found []netcore.Addr, ok bool) {
	if len(b) <= headSize || int(b[headSize]) > maxAddrs {
		return nil, false
	}
	n := int(b[headSize])
	got, rest, ok := parseHead(b, packetFound, headSize+1+n*addrSize)
	if !ok || got != nonce {
		return nil, false
	}
	for i := range n {
		a, ok := parseAddr(rest[1+i*addrSize:])
		if !ok {
			return nil, false
		}
		found = append(found, a)
	}
	return found, true
}
