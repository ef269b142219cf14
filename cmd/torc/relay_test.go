//go:build unix

package main

import (
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRelayCommand sends a datagram through torc relay, changes its line and rebinds it.
func TestRelayCommand(t *testing.T) {
	t.Parallel()
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer server.Close()
	p := child(t, "relay", server.LocalAddr().String(), "--listen", "127.0.0.1:0", "--rate", "256k", "--loss", "0.5")
	port := strings.Fields(p.expect("UDP port "))[2]
	assert.Equal(t, "rate 256 kbit/s, queue 100ms, delay 0s, jitter 0s, loss 0.5%, size 0, dead none", p.line())
	p.say("loss 0")
	assert.Contains(t, p.line(), "loss 0%,")
	p.say("los 5")
	p.expect(`no property "los"; there are dead, delay, jitter, loss, queue, rate, size`)
	p.say("rate 5")
	p.expect(`rate "5": must be 0, or 1k to 1000M bits per second`)
	client, err := net.Dial("udp4", "127.0.0.1:"+port)
	require.NoError(t, err)
	defer client.Close()
	buf := make([]byte, 100)
	pass := func(text string) *net.UDPAddr {
		_, err := client.Write([]byte(text))
		require.NoError(t, err)
		n, from, err := server.ReadFromUDP(buf)
		require.NoError(t, err)
		assert.Equal(t, text, string(buf[:n]))
		return from
	}
	before := pass("hello")
	p.say("rebind")
	p.expect("rate 256 kbit/s")
	from := pass("again")
	assert.NotEqual(t, before.Port, from.Port)
	_, err = server.WriteToUDP([]byte("welcome"), from)
	require.NoError(t, err)
	n, err := client.Read(buf)
	require.NoError(t, err)
	assert.Equal(t, "welcome", string(buf[:n]))
	p.signal(syscall.SIGTERM)
	p.ends(ended)
}
