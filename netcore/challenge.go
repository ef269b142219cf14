package netcore

import "github.com/torc-engine/torc/netcore/seal"

// challenge is a challenge request that waits for the next Send.
type challenge struct {
	from  Addr
	nonce seal.Nonce
}

// ringSize bounds the challenges between two Sends; more are dropped, and
// their senders ask again.
const ringSize = 1024

// challengeRing is a queue in memory of fixed size, so that a flood of requests from
// invented addresses costs nothing that lasts.
type challengeRing struct {
	at       []challenge // ringSize of them once there was one; a mere client never has any
	first, n int
}

// push adds a challenge. In a full ring it takes the place of the oldest: in a
// flood the newest has waited least and is the likeliest still to be wanted.
func (r *challengeRing) push(c challenge) {
	if r.at == nil {
		r.at = make([]challenge, ringSize)
	}
	if r.n == ringSize {
		r.first = (r.first + 1) % ringSize
		r.n--
	}
	r.at[(r.first+r.n)%ringSize] = c
	r.n++
}

func (r *challengeRing) pop() (c challenge, ok bool) {
	if r.n == 0 {
		return c, false
	}
	c = r.at[r.first]
	r.first = (r.first + 1) % ringSize
	r.n--
	return c, true
}
