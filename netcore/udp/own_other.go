//go:build !linux

package udp

import "net"

const controlSize = 0

// requestOwn reports that this system does not tell the own address that a peer sent to. Answers
// leave from the address that the system selects.
func requestOwn(*net.UDPConn, bool) bool { return false }

// requestTimes does nothing: the times of the reader count.
func requestTimes(*net.UDPConn) {}

func readControl([]byte) (own [16]byte, at int64) { return own, 0 }

func putOwn([]byte, [16]byte, bool) []byte { return nil }
