package netcore

import "github.com/torc-engine/torc/netcore/seal"

// ConnectRequest is a client's request to connect. The client's address and key are proven. Config.Decide
// reads the Request and can set Welcome and User.
type ConnectRequest struct {
	From           Addr
	Key            seal.Key // the client's key
	Name, Password string
	Args           []string // at most 16
	Rate           Rate     // how much the client can receive
	Roles          byte     // ConnectOptions.Roles of the client
	Welcome        []byte   // sent to the client with the accept; at most 1000 bytes
	Conn           *Conn    // nil until accepted
	User           any      // becomes Conn.User
}

// pendingRequest is a connect request with a proven cookie, before the key exchange. It waits until a Tick
// has time for that.
type pendingRequest struct {
	from   Addr
	nonce  seal.Nonce
	cookie seal.Cookie
	first  []byte
}

// refusal is the reply of a refused request. The endpoint keeps it for a while. A repeated request
// gets the same reply and is not decided again.
type refusal struct {
	from   Addr
	cookie seal.Cookie
	reply  []byte
	due    bool
}

// maxRefusals is the number of refusals kept; the oldest is replaced first.
const maxRefusals = 64
