// Package web serves the browser client and carries its datagrams.
//
//	browser ──▶ GET /, /assets/… ──▶ pages: files with content hashes, compressed once
//	browser ──▶ POST /rtc ─────────▶ rtc: an offer of WebRTC and its answer
//	browser ◀─▶ UDP port of the game ◀─▶ rtcPort ◀─▶ rtcLine: a data channel ─┐
//	browser ◀─▶ GET /ws ◀──────────────────────────▶ socketLine: a WebSocket ─┤
//	                                                                          └─▶ peer ──▶ Packets() ──▶ the owner's loop
//	                                                                                   ◀── Write
//
// A Listener is a second source of datagrams beside the UDP socket, with the same queue. Each
// binary message of a line is one datagram. The handshake and the encryption of torc are inside the
// datagrams, so this package reads none of them. A peer has the real IP address of the browser
// (netcore.WebAddr), so the limits and bans of the server hold.
//
// WebRTC uses pion, as ICE-lite: the server contacts nobody, and answers only addresses that its
// peers have sent from. No STUN or TURN server and no mDNS is asked. The first byte of a datagram
// on the UDP port tells torc, STUN and DTLS apart (rtcport.go).
//
// TCP repeats what is lost, so an overloaded line shows no loss. Therefore a peer's outbox is
// short, and so is what the kernel holds back (unsent_linux.go). Packets without room are dropped,
// and rate control sees the loss. SCTP would hold back packets too, until its window has room. Its
// window is therefore at least 64 KiB: the rate control of torc decides, and it sees the losses of
// the line. Only a line that acknowledges nothing fills the window. Packets that come then are
// dropped (rtcline.go).
//
// Limits: sockets.go bounds the TCP connections that carry no WebSocket, peers.go the peers that
// carry no connection of the game. Above a limit of all addresses, a new one replaces one of the
// address that has the most: of the TCP connections an idle one, never a download for one that
// sends nothing. The owner says once a second which connections exist (Sweep); a peer without one
// is dropped after 30 sweeps, or after 10 if its line is not open. A peer is read no faster than
// 250 messages per second. offers.go bounds the offers, rtcport.go the datagrams and addresses of a
// peer.
//
// Every request must name a Host, and every WebSocket and offer an Origin, that belongs to this
// server (gate.go). Otherwise any web page could talk to a game on the machine or in the network of
// its visitor.
//
// # Where to read
//
//	listener.go, serve.go, pages.go   the listener; answers, and the files of the client
//	place.go                          the paths of several servers behind one origin
//	site.go, candidates.go            the addresses at which browsers reach it
//	game.go                           where programs with the link reach the game
//	gate.go, proxies.go               which requests are for this server
//	origins.go                        lists of origins, and who can show the page in a frame
//	acme.go, certificate.go           certificates
//	sockets.go, counts.go             limits of TCP connections, by address
//	receipts.go                       which of them receive
//	peers.go, peer.go                 the browsers; also outbox.go, pace.go
//	socketline.go                     a WebSocket
//	rtc.go, rtcline.go, rtcport.go    WebRTC; offers.go limits the offers; all on the UDP port of the game
//	unsent_linux.go, unsent_other.go  what the kernel holds back
//	net.go                            the net page
//	pageserver.go                     a server for other pages, with the same limits and certificates
package web
