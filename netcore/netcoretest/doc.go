// Package netcoretest holds what the tests of netcore and of its streams share: session keys
// without a handshake, ways to run work in parallel, the examples of
// PROTOCOL.md, and the stored vectors of the protocol.
//
// It does not import netcore, so the internal tests of netcore can use it.
package netcoretest
