package portmap

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fake is a method of a router that the test sets.
type fake struct {
	name    string
	fails   error
	lease   time.Duration
	at      string
	added   int
	removed int
}

func (f *fake) String() string { return f.name }

func (f *fake) add(_ context.Context, port uint16) (mapping, error) {
	f.added++
	return mapping{external: netip.AddrPortFrom(netip.MustParseAddr(f.at), port), lease: f.lease}, f.fails
}

func (f *fake) remove(context.Context, mapping, uint16) error { f.removed++; return nil }

// TestKeeper: the first method that works maps the port. It is renewed in half of its lease, at
// least each half hour. The operator reads each change once. At the end the mappings are removed,
// also one that was not renewed.
func TestKeeper(t *testing.T) {
	one := &fake{name: "one", at: "198.51.100.1", fails: errors.New("silent")}
	two := &fake{name: "two", at: "198.51.100.1", fails: errors.New("silent")}
	var told []string
	var waits []time.Duration
	steps := []func(){
		func() {}, // nothing works
		func() { two.fails, two.lease = nil, 20*time.Minute },
		func() { two.lease = time.Second },
		func() { two.lease = 0 },
		func() { one.fails = nil }, // two still works and is kept
		func() { two.fails, one.fails = errors.New("gone"), errors.New("gone") },
		func() { one.fails, one.lease, one.at = nil, time.Hour, "100.64.0.9" },
	}
	ctx, cancel := context.WithCancel(t.Context())
	l := &loop{port: 28000, methods: []method{one, two}, tell: func(text string, _ bool) { told = append(told, text) }}
	l.wait = func(_ context.Context, d time.Duration) bool {
		waits = append(waits, d)
		if steps = steps[1:]; len(steps) == 0 {
			cancel()
			return false
		}
		steps[0]()
		return true
	}
	l.run(ctx)
	m := time.Minute
	assert.Equal(t, []time.Duration{5 * m, 10 * m, m, 30 * m, 30 * m, 5 * m, 30 * m}, waits)
	require.Len(t, told, 4)
	assert.Equal(t, "no port is mapped: one: silent, two: silent; forward UDP port 28000 to this machine in the settings of the router", told[0])
	assert.Equal(t, "the router forwards UDP port 28000 (two): torc join 198.51.100.1:28000", told[1])
	assert.Contains(t, told[2], "no port is mapped: ")
	assert.Contains(t, told[3], "100.64.0.9 is not a public address")
	assert.Equal(t, []int{1, 1}, []int{one.removed, two.removed})
}

// TestRemoveAfterFailure: a mapping is removed at the end, also if its last renewal has failed.
func TestRemoveAfterFailure(t *testing.T) {
	one := &fake{name: "one", at: "198.51.100.1"}
	l := &loop{port: 28000, methods: []method{one}, tell: func(string, bool) {}}
	l.wait = func(context.Context, time.Duration) bool {
		again := one.fails == nil
		one.fails = errors.New("gone")
		return again
	}
	l.run(t.Context())
	assert.Greater(t, one.added, 1)
	assert.Equal(t, 1, one.removed)
}

// TestRoutes: the routers are those of the default routes.
func TestRoutes(t *testing.T) {
	const table = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\n" +
		"eth0\t00000000\t0102000A\t0003\t0\t0\t0\t00000000\t0\n" +
		"eth0\t0002000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\n" +
		"wg0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\n"
	assert.Equal(t, []netip.Addr{netip.MustParseAddr("10.0.2.1")}, parseRoutes([]byte(table)))
	assert.Contains(t, routeTable, "/proc/self/", "a unit of systemd with ProcSubset=pid shows nothing else of /proc")
}

// TestOnlyLocalReplies: no request leaves the local network, with any answer of a search.
func TestOnlyLocalReplies(t *testing.T) {
	for _, url := range []string{"http://8.8.8.8/", "http://example.org/", "http://[2001:db8::1]/"} {
		request, err := http.NewRequest(http.MethodGet, url, nil)
		require.NoError(t, err)
		_, err = localTransport{}.RoundTrip(request)
		assert.ErrorContains(t, err, "is not on the local network", url)
	}
}
