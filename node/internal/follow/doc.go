// Package follow lets a client follow the orders of its server to go to another one. The client
// joins the other server with a second side while the first one plays on, and swaps them between
// two ticks. So the player is never out of a game: a server that refuses, or dies, or does not
// answer costs nothing.
//
//	order ──▶ asked ──▶ joining ──▶ swap
//	  │         │          └──▶ refused, silent, dead, late: the first side plays on
//	  └─────────┴── refused: net.follow, too many, an address that the first server must not name
//
// The first server is a stranger: it can name any address and any key, as often as it likes. The
// limits here are what holds it. They count ticks of the client.
//
// # Where to read
//
//	follower.go  what becomes of an order, tick by tick
//	order.go     which orders are followed: the policy of the player, the limit, the key
//	address.go   which addresses a server can name
package follow
