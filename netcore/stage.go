package netcore

import "github.com/torc-engine/torc/netcore/seal"

// A JoinStage is what a datagram to a server belongs to.
type JoinStage uint8

const (
	NoStage     JoinStage = iota // none of the others
	Challenging                  // it asks for a challenge
	Requesting                   // it asks for a connection
	Introducing                  // it is a piece of an introduction
	Connected                    // it belongs to a connection, and has at least the size of a route
)

var stages = map[byte]JoinStage{packetChallengeRequest: Challenging, packetConnectRequest: Requesting, packetIntroduction: Introducing}

// Stage returns what a datagram to a server belongs to, and the nonce of an attempt to join. It proves nothing.
func Stage(b []byte) (nonce seal.Nonce, s JoinStage) {
	switch {
	case len(b) < connectReplyHead:
	case b[0] == packetRouted:
		return nonce, Connected
	default:
		copy(nonce[:], b[1:])
		return nonce, stages[b[0]]
	}
	return seal.Nonce{}, NoStage
}
