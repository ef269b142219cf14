package web

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/netcore"
)

// TestUnsent: the kernel holds back about one datagram of a connection.
func TestUnsent(t *testing.T) {
	tcp, err := listen("127.0.0.1:0")
	require.NoError(t, err)
	s := newSockets(tcp, nil)
	defer s.Close()
	far, err := net.Dial("tcp", s.Addr().String())
	require.NoError(t, err)
	defer far.Close()
	near, err := s.Accept()
	require.NoError(t, err)
	defer near.Close()
	raw, err := near.(*socket).Conn.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		n, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT)
		assert.NoError(t, err)
		assert.Equal(t, netcore.MaxDatagram, n)
	}))
}
