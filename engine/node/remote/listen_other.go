//go:build !unix

package remote

import "net"

// listen makes a socket with the rights of its folder.
func listen(path string) (net.Listener, error) { return net.Listen("unix", path) }
