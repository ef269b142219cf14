// Package modnet makes the network connections of mods: HTTP requests, TCP connections and
// listeners. It implements sockets.Network.
//
//	HTTP, Connect, Listen, Send ─► goroutines ─► Events, once per tick
//
// Each connection has two goroutines, one for each direction. Each request and each listener has
// one. Close ends all of them. Their results are events, and nothing else reaches the rest of the
// server.
//
// The address of every connection is checked when it is dialed, after the name has been resolved
// (sockets.Target.Check). So a name that resolves to another address the second time gains nothing.
// No proxy of the environment is used, and TLS certificates are verified.
//
// # Bounds
//
// A response has at most 1 MiB and a request 10 s. A connection reads no more than its credit. A
// listener has at most 64 connections, eight of one address. An address is an IPv4 address or an
// IPv6 /64. When a listener is full, a new address replaces the quietest connection of the address
// with the most connections. A connection that sends nothing for 60 s ends.
package modnet
