package netcore

import "github.com/torc-engine/torc/netcore/seal"

// Request is one client's wish to connect, after its address and its key are
// proven. Config.Decide reads it and may set Welcome and User.
type Request struct {
	From           Addr
	Key            seal.Key // who asks
	Name, Password string
	Args           []string // at most 16
	Rate           Rate     // what the client can receive
	Roles          byte     // ConnectOptions.Roles of the client
	Welcome        []byte   // given to the client with the accept; at most 1000 bytes
	Conn           *Conn    // nil until accepted
	User           any      // becomes Conn.User
}

// waiting is a connect request whose cookie is proven and whose keys are not:
// what arrived, kept until a Tick has time for the arithmetic.
type waiting struct {
	from   Addr
	nonce  seal.Nonce
	cookie seal.Cookie
	first  []byte
}

// refusal is an answer that made no connection, kept for a while so that a
// repeated request gets the same answer again without being decided again.
type refusal struct {
	from   Addr
	cookie seal.Cookie
	reply  []byte
	due    bool
}

// refusals is how many refusals are remembered; the oldest goes first.
const refusals = 64
