package tape_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/node"
	"github.com/torc-engine/torc/netcore"
)

// TestOtherMachines checks that a server with bots and a client runs again from its journal, on this kind of machine and on others:
// TORC_JOURNAL names the journal of an earlier run of this test.
func TestOtherMachines(t *testing.T) {
	path := os.Getenv("TORC_JOURNAL")
	if path == "" {
		path = filepath.Join(t.TempDir(), "journal")
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		require.NoError(t, os.WriteFile(path, smallJournal(t), 0o600))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	r, err := node.NewReplay(bytes.NewReader(text), node.ReplayConfig{})
	require.NoError(t, err)
	for err == nil {
		err = r.Step()
	}
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.InDelta(t, 600, r.Tick(), 2)
	require.NoError(t, r.Close())
}

// smallJournal plays capture the flag with bots and a client for 600 ticks in virtual time.
func smallJournal(t *testing.T) []byte {
	var out bytes.Buffer
	var now time.Duration
	var arrive []func()
	var c *node.Client
	edge := func(seed byte, to func(b []byte)) node.Edge {
		return node.Edge{
			Clock: func() time.Duration { return now }, Date: func() time.Time { return time.Unix(1_000_000_000, int64(now)) },
			Entropy: rand.NewChaCha8([32]byte{seed}), Send: func(_ netcore.Addr, b []byte) {
				b = append([]byte(nil), b...)
				arrive = append(arrive, func() { to(b) })
			},
		}
	}
	s, err := node.NewServerOn(node.Config{
		Load: []string{"ctf"}, Vars: []node.Var{{Name: "sv.bots", Value: "8"}, {Name: "ctf.warmup", Value: "1"}}, Journal: &node.Journal{Writer: &out},
	}, edge(1, func(b []byte) { c.Receive(b) }))
	require.NoError(t, err)
	c, err = node.NewClientOn(node.Config{Name: "Ann", Address: "s:1#" + s.Key().String(), Wander: true}, edge(2, func(b []byte) { s.Receive(netcore.SimAddr(7), b) }))
	require.NoError(t, err)
	defer c.Close()
	for ; now < 600*32*time.Millisecond; now += 4 * time.Millisecond {
		due := arrive
		arrive = nil
		for _, f := range due {
			f()
		}
		require.NoError(t, s.Step())
		require.NoError(t, c.Step())
	}
	require.True(t, c.Ready())
	require.NoError(t, s.Close())
	return out.Bytes()
}
