// Package rendezvous lets clients reach servers behind routers that translate addresses (NAT). A
// third program with a public address, the rendezvous, tells each side the address of the other.
// PROTOCOL.md specifies the packets (Rendezvous).
//
//	server                       rendezvous                        client
//	Register        ──▶                            ◀──             Lookup
//	           ◀──  Challenge           Challenge  ──▶
//	Register        ──▶                            ◀──             Lookup
//	           ◀──  Registered              Found  ──▶
//	Renewal         ──▶
//	           ◀──  Renewed
//	           ◀──  Introduction
//	Punch, six times                ──────────────────────────▶
//	           ◀──────────────────────────          the handshake of netcore, from now on
//
// The punches open the router of the server for the address of the client. The requests of the
// handshake open the router of the client. So the rendezvous carries no packet of the game.
//
//	Service        the rendezvous: who has registered, and where
//	Registration   the server's side: stays registered, and punches
//	Lookup         the client's side: asks for the addresses of a server
//
// Nobody trusts the rendezvous with more than reachability. The server proves its key to it, so
// nobody else can register that key. The client checks the key of the server in the handshake, as
// always. Servers punch only to addresses that have proven to the rendezvous that they receive
// packets.
//
// A registration needs a key exchange. The server renews it each 10 s with one sealed packet
// (renewal.go), and exchanges keys again after an hour, or when it has another address.
//
// The package has no socket, no clock and no goroutine. Server and client must use the socket of
// the game, because a router opens for one port.
package rendezvous
