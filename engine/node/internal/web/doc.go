// Package web serves the browser client and carries its datagrams.
//
//	browser ──▶ GET /, /assets/… ──▶ pages: files with content hashes, compressed in advance
//	browser ◀─▶ GET /ws ◀─▶ peer: a WebSocket, each binary message is one datagram
//	                         │
//	                         └──▶ Packets() ──▶ the owner's loop ──▶ Write
//
// A Listener is a second source of datagrams beside the UDP socket, with the same queue. The handshake
// and the encryption of torc are inside the datagrams, so this package reads none of them. A peer has
// the real IP address of the browser (netcore.WebAddr), so the limits and bans of the server hold.
//
// TCP repeats what is lost, so an overloaded line shows no loss. Therefore a peer's outbox is short, and
// so is what the kernel holds back (unsent_linux.go). What has no room is dropped, and rate control sees
// the loss.
//
// Limits: sockets.go bounds the TCP connections that carry no WebSocket, peers.go the WebSockets that
// carry no connection of the game. A new one replaces the oldest. The owner says once a second
// which connections exist (Sweep); a WebSocket without one is closed after 30 sweeps. A peer is
// read no faster than 250 messages per second.
//
// Every request must name a Host, and every WebSocket an Origin, that belongs to this server
// (gate.go). Otherwise any web page could talk to a game on the machine or in the network of its visitor.
package web
