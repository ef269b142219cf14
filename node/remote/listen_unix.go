//go:build unix

package remote

import (
	"net"
	"syscall"
)

// listen opens a socket with access for its owner only, from the first moment and in any folder.
func listen(path string) (net.Listener, error) {
	defer syscall.Umask(syscall.Umask(0o077))
	return net.Listen("unix", path)
}
