package bus

import "github.com/torc-engine/torc/netcore/seal"

// A Server is a server as the others of its fleet see it. All texts come from that server: whoever
// shows them cleans them.
type Server struct {
	Name     string   // 1 to 32 of a–z, 0–9 and -; unique in the fleet
	Key      seal.Key // of the server
	Address  string   // HOST:PORT for players
	Web      string   // link of its page; "" for none
	Metrics  string   // HOST:PORT of its metrics; "" for none
	Title    string   // sv.name
	Mission  string
	Mods     []string
	Players  int // people
	Bots     int
	Max      int // people and bots
	Draining bool
	Own      map[string][]byte // what mods tell about this server, by mod, encoded as stored values are; at most MaxOwn bytes each
}

// MaxOwn is the most that a mod can tell about its server, in bytes.
const MaxOwn = 1 << 10
