package netcore

import "github.com/torc-engine/torc/netcore/seal"

// challenge is a request that the next Send answers with a challenge, or with the statement that
// there is no such session, or that its client must wait.
type challenge struct {
	from    Addr
	nonce   seal.Nonce
	unknown bool
	busy    bool
	ahead   int // clients before this one; 0 is not known
}

// maxChallenges is the maximum of challenges between two Sends. A further one replaces the oldest,
// whose sender asks again.
const maxChallenges = 1024

// challengeRing is a queue of fixed size. A flood of requests from forged addresses therefore uses
// no more memory.
type challengeRing struct {
	at       []challenge // of maxChallenges; the first push allocates it, so clients need none
	first, n int
}

// push adds a challenge. When the ring is full, it replaces the oldest one: in a flood the newest
// request has waited least, so its sender most likely still waits.
func (r *challengeRing) push(c challenge) {
	if r.at == nil {
		r.at = make([]challenge, maxChallenges)
	}
	if r.n == maxChallenges {
		r.first = (r.first + 1) % maxChallenges
		r.n--
	}
	r.at[(r.first+r.n)%maxChallenges] = c
	r.n++
}

func (r *challengeRing) pop() (c challenge, ok bool) {
	if r.n == 0 {
		return c, false
	}
	c = r.at[r.first]
	r.first = (r.first + 1) % maxChallenges
	r.n--
	return c, true
}
