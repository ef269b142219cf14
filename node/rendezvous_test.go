package node

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

var nowhere = netcore.UDPAddr(netip.MustParseAddrPort("192.0.2.1:28000"))

// TestLateNamesDoNotDisturbLookups: the name of an earlier connect that is resolved late, or not at all,
// leaves the lookup of a later connect alone.
func TestLateNamesDoNotDisturbLookups(t *testing.T) {
	c := newClient(Config{}, core.NewOwner(Common{}, core.Machine()))
	var resolved []func([]netcore.Addr, error)
	resolve := c.resolveVia(func(_ string, done func([]netcore.Addr, error)) { resolved = append(resolved, done) })
	results := make([]error, 4)
	for i := range results {
		resolve(engine.Via+"example.org#"+seal.Key{1}.String(), func(_ []netcore.Addr, err error) { results[i] = err })
	}
	resolved[3]([]netcore.Addr{nowhere}, nil)
	last := c.lookup
	require.NotNil(t, last)
	resolved[0](nil, errors.New("no such host"))
	resolved[1]([]netcore.Addr{nowhere}, nil)
	assert.Same(t, last, c.lookup)
	assert.Equal(t, []error{errReplaced, errReplaced, nil, nil}, results)
	resolve("example.org", func([]netcore.Addr, error) {})
	resolved[2]([]netcore.Addr{nowhere}, nil)
	assert.Nil(t, c.lookup, "the newest connect needs no rendezvous")
}

// TestSilentRendezvousIsReported: the operator gets one warning if the rendezvous never answers.
func TestSilentRendezvousIsReported(t *testing.T) {
	var log bytes.Buffer
	s, err := NewServer(Config{
		Server: ServerConfig{Listen: "127.0.0.1:0", Rendezvous: "192.0.2.1"}, Common: Common{Resolve: engine.ResolveTo(nowhere),
			Log: slog.New(slog.NewTextHandler(&log, nil))},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	now, later := s.core.From.Clock, time.Duration(0)
	s.core.From.Clock = func() time.Duration { return now() + later }
	s.openRendezvous()
	warnings := func() int { return strings.Count(log.String(), "the rendezvous does not answer") }
	s.meeting.tick()
	assert.Zero(t, warnings())
	for range 4 {
		later += resolveAgain + time.Second
		s.meeting.tick()
		assert.Equal(t, 1, warnings())
	}
}
