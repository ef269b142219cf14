package udp

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKernelTellsArrival: the kernel tells the address and the time with each datagram.
func TestKernelTellsArrival(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer conn.Close()
	requestTimes(conn)
	require.True(t, requestOwn(conn, false))
	before := time.Now()
	_, err = conn.WriteToUDP([]byte("x"), conn.LocalAddr().(*net.UDPAddr))
	require.NoError(t, err)
	control := make([]byte, controlSize)
	_, used, _, _, err := conn.ReadMsgUDPAddrPort(make([]byte, 10), control)
	require.NoError(t, err)
	own, at := readControl(control[:used])
	assert.Equal(t, byte(127), own[12])
	assert.WithinRange(t, time.Unix(0, at), before.Add(-clockError), time.Now().Add(clockError))
	own, at = readControl(nil)
	assert.Zero(t, own)
	assert.Zero(t, at)
}
