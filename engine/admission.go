package engine

// Admission says which players a server lets join, and the name that it tells them. A change
// applies to later joins.
type Admission struct {
	Name       string
	Password   string // at most 255 bytes; "" is none
	MaxClients int    // the highest number of connected clients, with bots
	Reserved   int    // so many of them are kept for players whom Config.Known knows
	Transfers  bool   // players whom other servers send can join
	Accepting  bool   // if false, nobody joins, except players who replace their own connection
}
