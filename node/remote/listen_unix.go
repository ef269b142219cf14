//go:build unix

package remote

import (
	"net"
	"sync"
	"syscall"
)

var masking sync.Mutex // the mask belongs to the process, which can have several servers

// listen opens a socket with access for its owner only, from the first moment and in any folder.
func listen(path string) (net.Listener, error) {
	masking.Lock()
	defer masking.Unlock()
	defer syscall.Umask(syscall.Umask(0o077))
	return net.Listen("unix", path)
}
