package replay_test

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

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/replay"
)

// TestOtherMachines checks that a server with bots and clients on a bad line, two reloads and
// another mission runs again from its journal, on this kind of machine and on others: TORC_JOURNAL
// names the journal of an earlier run of this test. The long form plays half an hour with 32 bots.
func TestOtherMachines(t *testing.T) {
	path, length, bots := os.Getenv("TORC_JOURNAL"), 20*time.Second, "8"
	if path == "" && !testenv.Long() {
		t.Skip("TORC_JOURNAL names no journal: .ci/run plays this on three kinds of machines; TestReplayIsTheSame and TestMatchesReplay play matches on this one")
	}
	if path == "" { // for this machine alone
		path = filepath.Join(t.TempDir(), "journal")
	}
	if testenv.Long() {
		length, bots = 30*time.Minute, "32"
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		require.NoError(t, os.WriteFile(path, matchJournal(t, length, bots), 0o600))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	r, err := replay.New(bytes.NewReader(text), replay.Config{})
	require.NoError(t, err)
	began := time.Now()
	for err == nil {
		err = r.Step()
	}
	t.Logf("%d bytes, %d ticks, %.1f x real time", len(text), r.Tick(), length.Seconds()/time.Since(began).Seconds())
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.InDelta(t, length.Milliseconds()/32, r.Tick(), 2)
	require.NoError(t, r.Close())
}

// match is a server and 8 clients in virtual time, on lines that lose two percent of the datagrams.
type match struct {
	now    time.Duration
	random *rand.Rand
	arrive []func()
}

func (m *match) edge(seed byte, to func(from netcore.Addr, b []byte)) node.Edge {
	return node.Edge{
		Clock: func() time.Duration { return m.now }, Date: func() time.Time { return time.Unix(1_000_000_000, int64(m.now)) },
		Entropy: rand.NewChaCha8([32]byte{seed}), Send: func(at netcore.Addr, b []byte) {
			if b = append([]byte(nil), b...); m.random.IntN(50) > 0 {
				m.arrive = append(m.arrive, func() { to(at, b) })
			}
		},
	}
}

// matchJournal plays capture the flag.
func matchJournal(t *testing.T, length time.Duration, bots string) []byte {
	const players = 8
	var out bytes.Buffer
	m := &match{random: rand.New(rand.NewPCG(1, 2))}
	var clients []*node.Client
	s, err := node.NewServerOn(node.Config{
		Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: bots}, {Name: "ctf.warmup", Value: "1"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Journal: &node.Journal{Writer: &out}},
	}, m.edge(1, func(to netcore.Addr, b []byte) { clients[to.Port-1].Receive(b) }))
	require.NoError(t, err)
	for i := range players {
		from := netcore.SimAddr(uint16(i + 1))
		c, err := node.NewClientOn(node.Config{Common: node.Common{Name: string(rune('A' + i))}, Client: node.ClientConfig{Address: "s:1#" + s.Key().String(), Wander: true}},
			m.edge(byte(2+i), func(_ netcore.Addr, b []byte) { s.Receive(from, b) }))
		require.NoError(t, err)
		defer c.Close()
		clients = append(clients, c)
	}
	lines := []string{"mod.reload ctf", "mission ridge", "mod.reload base"}
	for done := 0; m.now < length; m.now += 4 * time.Millisecond {
		due := m.arrive
		m.arrive = nil
		for _, f := range due {
			f()
		}
		if done < len(lines) && m.now >= length*time.Duration(done+1)/4 {
			_, err := s.Console().Exec(lines[done])
			require.NoError(t, err)
			done++
		}
		require.NoError(t, s.Step())
		for _, c := range clients {
			require.NoError(t, c.Step())
		}
	}
	for _, c := range clients {
		require.True(t, c.Ready())
	}
	require.NoError(t, s.Close())
	return out.Bytes()
}
