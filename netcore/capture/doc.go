// Package capture reads and writes captures: the datagrams of one connection, with everything that
// a decoder needs besides the specification of the protocol. docs/dissect.md describes the format.
//
// A capture is a sequence of lines. Each line is a JSON object:
//
//	header    the first line: versions, event kinds, classes
//	session   the keys of a session, before its first packet
//	packet    a datagram with its time and its sender
//
// A capture contains the keys of the session and so everything that was said in it. Treat it as a
// secret.
package capture
