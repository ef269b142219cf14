// Package sshd is the console of a server over SSH. It accepts public keys of a file and nothing
// else: no password, no certificate. A session is a prompt, lines from a pipe, or one line (exec).
// There is no shell, no forwarding, no file transfer, no agent and no environment.
//
// # Where to read
//
//	keys.go      the file of keys, each with a role
//	hostkey.go   the key of the server
//	listener.go  accepts connections and authenticates them
//	networks.go  the networks from which a key was accepted
//	limits.go    how many connections an address, a key and a role can have
//	requests.go  what a client asks of a session
//	session.go   what an authenticated connection can do
//	device.go    the terminal at the other end
//
// # Limits
//
// A connection must be authenticated 15 s after its begin. 128 connections at a time can be before
// that point, 4 of one address. If all 128 are taken, the oldest of the address with the most ends;
// of addresses with as many, of that with the most tries in the last minute. An address (of IPv6 a
// /64) has 10 failed connections, then one more each 6 s. Connections that succeed do not count.
// All addresses together begin 32 connections per second, and the more of them an address began in
// the last minute, the more must be left. Networks from which a key was accepted in the last 30
// days do not need them, and their connections do not end for others. A connection that has no room
// for a session counts as failed, and ends after 1 s. The log has at most 3 lines about failed
// connections of an address until it was quiet for a minute, and 6 per minute of all addresses
// after the first 16.
//
// There are 8 sessions, 4 of one key and 4 without the role admin. A session ends after 30 minutes
// without a typed byte, and 60 s after its line broke. A line has at most 4,096 characters at the
// prompt, and 64 KiB in a pipe. At most 1 MiB of output waits for a slow client; then the oldest
// lines are dropped.
package sshd
