//go:build !linux

package udp

import (
	"errors"
	"net"
)

// takeOver fails: on this system Go's poller serves all sockets.
func takeOver(*net.UDPConn, bool) (transport, error) { return nil, errors.ErrUnsupported }
