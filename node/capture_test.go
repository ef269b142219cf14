package node_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/dissect"
	"github.com/torc-engine/torc/node/nodetest"
)

// TestCapture: a client writes all that it sends and receives to a capture, with its keys.
func TestCapture(t *testing.T) {
	t.Parallel()
	server := nodetest.StartServer(t, node.Config{Common: node.Common{Name: "The server"}})
	ended := []<-chan error{nodetest.Runs(server.Run)}
	var file bytes.Buffer
	c := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann"}, Client: node.ClientConfig{Address: server.Address(), Capture: &file}})
	ended = append(ended, nodetest.Runs(c.Run))
	nodetest.Eventually(t, c.Do, "the client is in the game", c.Ready)
	require.NoError(t, c.Do(func() { c.Quit("") }))
	require.NoError(t, <-ended[1])
	require.NoError(t, c.Close())
	require.NoError(t, server.Close())
	require.NoError(t, <-ended[0])

	var text strings.Builder
	require.NoError(t, dissect.Read(&file, func(p *dissect.Packet) error { return dissect.Print(&text, p) }))
	for _, want := range []string{"challenge request", `"Ann"`, `hello of "The server"`, "MissionStartPhase1", "from the client", "drop 1", "= \"close\""} {
		assert.Contains(t, text.String(), want)
	}
	assert.NotContains(t, text.String(), "sealed\n")
}

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// TestCaptureOnFullDisk: the game goes on, and the log says why the capture has stopped, once.
func TestCaptureOnFullDisk(t *testing.T) {
	t.Parallel()
	server := nodetest.StartServer(t, node.Config{})
	nodetest.Runs(server.Run)
	var log bytes.Buffer
	c := nodetest.NewClient(t, node.Config{Client: node.ClientConfig{Address: server.Address(), Capture: full{}}, Common: node.Common{Log: slog.New(slog.NewTextHandler(&log, nil))}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	nodetest.Eventually(t, c.Do, "the client is in the game", c.Ready)
	cancel()
	require.NoError(t, <-done)
	require.NoError(t, c.Close())
	assert.Equal(t, 1, strings.Count(log.String(), `msg="the capture has stopped" why="the disk is full"`), log.String())
}

// stuck is a disk that stands still until it is let go.
type stuck struct {
	bytes.Buffer
	let chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	<-s.let
	return s.Buffer.Write(b)
}

// TestCaptureOnSlowDisk: the game goes on while the disk stands still, and the log says that the
// capture has stopped. The file has all that came before.
func TestCaptureOnSlowDisk(t *testing.T) {
	t.Parallel()
	server := nodetest.StartServer(t, node.Config{})
	nodetest.Runs(server.Run)
	var log bytes.Buffer
	file := &stuck{let: make(chan struct{})}
	c := nodetest.NewClient(t, node.Config{Client: node.ClientConfig{Address: server.Address(), Capture: file}, Common: node.Common{Log: slog.New(slog.NewTextHandler(&log, nil))}})
	ended := nodetest.Runs(c.Run)
	nodetest.Eventually(t, c.Do, "the client is in the game", c.Ready)
	require.NoError(t, c.Do(func() { node.FillCapture(c, node.QueuedLines+1) }))
	require.NoError(t, c.Do(func() { c.Quit("") }))
	require.NoError(t, <-ended)
	close(file.let)
	require.NoError(t, c.Close())
	assert.Equal(t, 1, strings.Count(log.String(), `msg="the capture has stopped" why="the disk does not keep up"`), log.String())
	packets := 0
	require.NoError(t, dissect.Read(&file.Buffer, func(*dissect.Packet) error { packets++; return nil }))
	assert.Greater(t, packets, 900)
}
