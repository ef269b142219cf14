package udp

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/netcore"
)

// TestGateIsQuiet checks that the gate has one event per wait, and none while nobody waits.
func TestGateIsQuiet(t *testing.T) {
	conn, err := bind("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	s, err := takeOver(conn, false)
	require.NoError(t, err)
	d := s.(*rawSocket)
	defer func() { d.wake(); assert.NoError(t, d.close()) }()
	from := listen(t, "127.0.0.1:0")
	at, err := unix.Getsockname(d.fd)
	require.NoError(t, err)
	in := at.(*unix.SockaddrInet4)
	to := netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4(in.Addr), uint16(in.Port)))
	ready := func() int {
		n := 0
		require.NoError(t, d.gate.waiter.Control(func(fd uintptr) {
			var events [1]unix.EpollEvent
			n, err = unix.EpollWait(int(fd), events[:], 0)
		}))
		require.NoError(t, err)
		return n
	}
	for range 3 {
		require.NoError(t, from.Write(to, []byte{1}))
		assert.Zero(t, ready(), "nobody waits")
		require.NoError(t, d.gate.wait())
		n, err := d.read()
		require.NoError(t, err)
		require.Equal(t, 1, n)
		p, _, _ := d.take(0)
		p.Free()
		assert.Zero(t, ready(), "the wait is over")
	}
}

// TestFailedTakeOver checks that a socket works and can be closed if the system refuses a gate.
func TestFailedTakeOver(t *testing.T) {
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	free, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, unix.Close(free))
	// room for the copy of the socket, but not for the gate
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(free) + 1, Max: before.Max}))
	s := start(conn, true)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &before))
	assert.IsType(t, &netSocket{}, s.transport)
	from := listen(t, "127.0.0.1:0")
	require.NoError(t, from.Write(netcore.UDPAddr(s.Addr()), []byte{7}))
	p := next(t, s)
	assert.Equal(t, []byte{7}, p.Bytes())
	p.Free()
	require.NoError(t, s.Close())
}
