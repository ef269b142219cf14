package meeting

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

var nowhere = netcore.UDPAddr(netip.MustParseAddrPort("192.0.2.1:28000"))

// parts returns the parts of a node without a socket.
func parts(cfg core.Common) *core.Core {
	o := core.NewOwner(cfg, core.Machine())
	return &core.Core{Owner: o, Loop: &core.Loop{Owner: o}}
}

// TestLateNamesDoNotDisturbLookups: the name of an earlier connect that is resolved late, or not at
// all, leaves the lookup of a later connect alone.
func TestLateNamesDoNotDisturbLookups(t *testing.T) {
	c := NewVia(parts(core.Common{}))
	var resolved []func([]netcore.Addr, error)
	resolve := c.Resolver(func(_ string, done func([]netcore.Addr, error)) { resolved = append(resolved, done) })
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

// TestViaTriesBoth: an address of the server beside that of its rendezvous is tried with those that
// the rendezvous knows, and alone if it knows none or is silent.
func TestViaTriesBoth(t *testing.T) {
	key := "#" + seal.Key{1}.String()
	direct := netcore.UDPAddr(netip.MustParseAddrPort("192.0.2.9:5"))
	for _, found := range [][]netcore.Addr{nil, {nowhere}, {direct, nowhere}} {
		var got []netcore.Addr
		besides(direct, func(to []netcore.Addr, err error) { require.NoError(t, err); got = to })(found, errors.New("silent"))
		assert.Contains(t, got, direct)
		assert.Len(t, got, max(1, len(found)+1-strings.Count(fmt.Sprint(found), direct.String())))
	}
	c := NewVia(parts(core.Common{}))
	var asked string
	resolve := c.Resolver(func(at string, done func([]netcore.Addr, error)) { asked = at; done(nil, errors.New("no such host")) })
	var got []netcore.Addr
	resolve(engine.Via+"list.example.org:7,192.0.2.9:5"+key, func(to []netcore.Addr, err error) { require.NoError(t, err); got = to })
	assert.Equal(t, "list.example.org:7", asked)
	assert.Equal(t, []netcore.Addr{direct}, got, "the name of the list is gone")
	resolve(engine.Via+"list.example.org"+key, func(_ []netcore.Addr, err error) { assert.EqualError(t, err, "no such host") })
	for _, bad := range []string{"", "x", "play.example.org:5", "192.0.2.9", "192.0.2.9:0", "192.0.2.9:5,192.0.2.9:6"} {
		resolve(engine.Via+"list.example.org,"+bad+key, func(_ []netcore.Addr, err error) { assert.ErrorContains(t, err, "must be IP:PORT of the server", bad) })
	}
}

// TestPublicServersAnswerQueries: a server cannot be in a list that it does not answer.
func TestPublicServersAnswerQueries(t *testing.T) {
	var log bytes.Buffer
	c := console.New(func(string) {})
	s := New(parts(core.Common{Log: slog.New(slog.NewTextHandler(&log, nil))}), Options{})
	for _, v := range s.Variables() {
		require.NoError(t, c.Bind(v))
	}
	for _, step := range []struct{ line, says string }{
		{"sv.query false", ""},
		{"sv.public true", "sv.public: needs sv.query: the public list asks the server for its name and its players"},
		{"sv.public", "false"},
		{"sv.query true", ""},
		{"sv.public true", ""},
		{"sv.query false", "sv.query: sv.public needs it, so turn that off first"},
		{"sv.query", "true"},
	} {
		out, err := c.Exec(step.line)
		if err != nil {
			out = err.Error()
		}
		assert.Contains(t, out, step.says, step.line)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "sv.public has no effect without a rendezvous"))
}

// TestSilentRendezvousIsReported: the operator gets one warning if the rendezvous never answers.
func TestSilentRendezvousIsReported(t *testing.T) {
	var log bytes.Buffer
	c := parts(core.Common{Log: slog.New(slog.NewTextHandler(&log, nil))})
	own, err := seal.NewIdentity(rand.Reader)
	require.NoError(t, err)
	now, later := c.From.Clock, time.Duration(0)
	c.From.Clock = func() time.Duration { return now() + later }
	s := New(c, Options{Rendezvous: "192.0.2.1", Own: own, Resolve: engine.ResolveTo(nowhere)})
	s.register()
	warnings := func() int { return strings.Count(log.String(), "the rendezvous does not answer") }
	s.registrar.tick()
	assert.Zero(t, warnings())
	for range 4 {
		later += resolveAgain + time.Second
		s.registrar.tick()
		assert.Equal(t, 1, warnings())
	}
}

// TestServersLeaveTheRendezvous: a server that ends is no longer registered and no longer public at
// once. One that starts again stays, and so does one whose process is gone.
func TestServersLeaveTheRendezvous(t *testing.T) {
	for _, row := range []struct {
		name  string
		end   func(*core.Core)
		stays bool
	}{
		{"quit", func(c *core.Core) { c.Quit("", nil) }, false},
		{"the end of a drain", func(c *core.Core) { c.Leave("") }, false},
		{"restart", func(c *core.Core) { c.Restart("") }, true},
		{"a panic", func(*core.Core) {}, true},
	} {
		at := rendezvous.NewService(rand.Reader)
		public := false
		at.Renewed = func(_ seal.Key, _ netcore.Addr, is bool) { public = is }
		c := parts(core.Common{})
		own, err := seal.NewIdentity(rand.Reader)
		require.NoError(t, err)
		s := New(c, Options{})
		r := rendezvous.NewRegistration(c.Now(), rand.Reader, own, nowhere)
		r.SetPublic(c.Now(), true)
		s.registrar = &registrar{core: c, registrations: []*rendezvous.Registration{r}}
		var answers [][]byte
		c.Loop.Out = func(_ netcore.Addr, b []byte) {
			at.Receive(c.Now(), netcore.UDPAddr(netip.MustParseAddrPort("192.0.2.7:28000")), b, func(_ netcore.Addr, b []byte) { answers = append(answers, b) })
		}
		for !public {
			r.Send(c.Now(), c.Loop.Send)
			for _, b := range answers {
				r.Receive(c.Now(), nowhere, b)
			}
			answers = nil
		}
		row.end(c)
		require.NoError(t, s.Close())
		at.Receive(c.Now(), nowhere, nil, nil) // it forgets what has ended
		assert.Equal(t, row.stays, public, row.name)
		assert.Equal(t, row.stays, at.Servers() == 1, row.name)
	}
}
