//go:build !unix

package remote

import "net"

// listen opens a socket with the permissions of its folder.
func listen(path string) (net.Listener, error) { return net.Listen("unix", path) }
