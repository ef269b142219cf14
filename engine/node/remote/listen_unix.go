//go:build unix

package remote

import (
	"net"
	"syscall"
)

// listen makes a socket that is its owner's alone from the first moment, whatever folder it is in.
func listen(path string) (net.Listener, error) {
	defer syscall.Umask(syscall.Umask(0o077))
	return net.Listen("unix", path)
}
