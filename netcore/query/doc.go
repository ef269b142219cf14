// Package query asks a server for its name, its mission and the number of its players, without a
// join. PROTOCOL.md specifies the packets (Queries).
//
//	client                                            server
//	request    type | 0 | nonce | zeros to 512  ──▶   keeps nothing
//	      ◀──  type | 1 | nonce | cookie              challenge
//	request    type | 0 | nonce | cookie | zeros ──▶  checks the cookie
//	      ◀──  type | 2 | nonce | info, at most 512   answer
//
// A search on the local network sends the same request to a multicast group. Each server of the
// network answers with a challenge from its own socket. So the client learns its address, and goes
// on as for one server.
//
//	Responder   the server's side: cookies and limits
//	Search      the client's side, for one server or for many
//	Info        what a server tells everybody
//
// The package has no socket, no clock and no goroutine.
package query
