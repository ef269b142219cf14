package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPipeJoins runs the order of one wake-up: client, server, client.
func TestPipeJoins(t *testing.T) {
	pipe := NewPipe(1, 2)
	server, client := newHost(t, pipe.A().Addr(), nil), newHost(t, pipe.B().Addr(), nil)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll, Name: "ann"})
	now := Time(0)
	wake := func() {
		now += 32 * time.Millisecond
		client.Send(now, pipe.B().Write)
		pipe.A().Drain(func(from Addr, b []byte) { server.Receive(now, from, b) })
		server.Tick(now)
		server.Send(now, pipe.A().Write)
		pipe.B().Drain(func(from Addr, b []byte) { client.Receive(now, from, b) })
		client.Tick(now)
	}
	wake()
	wake()
	wake()
	require.Len(t, client.connected, 1, "three wakes join: challenge, request, introduction")
	assert.Equal(t, []string{"welcome ann"}, client.welcomes)
	for range 100 {
		wake()
	}
	server.Close(now, Reason{Code: ShuttingDown})
	for range 100 {
		wake()
	}
	assert.Equal(t, []Reason{{Code: ShuttingDown}}, client.ended)
	assert.Empty(t, client.Conns())
	assert.Empty(t, server.Conns())
}

func TestPipeQueue(t *testing.T) {
	pipe := NewPipe(1, 2)
	a, b := pipe.A(), pipe.B()
	a.Write(LocalAddr(9), []byte{1})
	assert.Zero(t, b.Waiting(), "a pipe leads to its other end only")
	sent, got := 0, 0
	for round := range 50 {
		for range round {
			a.Write(b.Addr(), []byte{byte(sent), byte(sent >> 8)})
			sent++
		}
		b.Drain(func(from Addr, p []byte) {
			assert.Equal(t, a.Addr(), from)
			assert.Equal(t, []byte{byte(got), byte(got >> 8)}, p, "in order")
			got++
			if got%7 == 0 {
				b.Write(from, p)
			}
		})
	}
	assert.Equal(t, sent, got)
	assert.Equal(t, sent/7, a.Waiting())
	for range maxPipeQueue + 10 {
		a.Write(b.Addr(), []byte{1})
	}
	assert.Equal(t, maxPipeQueue, b.Waiting(), "what exceeds the bound is lost")
	b.Drain(func(Addr, []byte) {})
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		a.Write(b.Addr(), []byte{1})
		b.Drain(func(Addr, []byte) {})
	}))
}
