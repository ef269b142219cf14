package sshd

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.InMemory()
	os.Exit(m.Run())
}

// from is a connection from an address.
type from struct {
	net.Conn
	address string
	closed  bool
}

func (f *from) RemoteAddr() net.Addr { return addr(f.address) }
func (f *from) Close() error         { f.closed = true; return nil }

type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }

// newTestLimits returns limits that know no network.
func newTestLimits() *limits {
	n, _ := openNetworks("")
	return newLimits(n)
}

// attempt begins a connection, and fails it at once. It reports whether a limit refused it.
func attempt(l *limits, address string, now time.Time) (refused bool) {
	p, _ := l.begin(&from{address: address}, now)
	if p != nil {
		l.failed(p)
	}
	return p == nil
}

func TestAddressLimits(t *testing.T) {
	l, now := newTestLimits(), time.Unix(1000, 0)
	for i := range addressBurst {
		p, warn := l.begin(&from{address: "192.0.2.1:5"}, now)
		require.NotNil(t, p)
		assert.Equal(t, i == addressBurst-1, warn, "the last one is logged")
		l.failed(p)
	}
	assert.True(t, attempt(l, "192.0.2.1:6", now), "another port is the same address")
	assert.True(t, attempt(l, "[::ffff:192.0.2.1]:6", now))
	assert.False(t, attempt(l, "192.0.2.2:5", now), "another address is not limited")
	now = now.Add(addressRefill)
	assert.False(t, attempt(l, "192.0.2.1:5", now))
	assert.True(t, attempt(l, "192.0.2.1:5", now))

	for i := range addressBurst {
		assert.False(t, attempt(l, fmt.Sprintf("[2001:db8::%d]:5", i), now))
	}
	assert.True(t, attempt(l, "[2001:db8::99]:5", now), "a /64 is one address")
	assert.False(t, attempt(l, "[2001:db8:0:1::1]:5", now))

	for range 100 { // a script that asks often
		p, _ := l.begin(&from{address: "192.0.2.3:5"}, now)
		require.NotNil(t, p, "connections that succeed do not count")
		require.NoError(t, l.networks.accepted(p.network, now))
		l.succeeded(p)
		now = now.Add(allRefill)
	}
}

// TestAllAddresses checks the limit of all addresses together, and that the table of addresses is
// bounded.
func TestAllAddresses(t *testing.T) {
	l, now := newTestLimits(), time.Unix(1000, 0)
	passed := 0
	for i := range 2 * maxAddresses {
		if !attempt(l, fmt.Sprintf("10.%d.%d.1:5", i/256, i%256), now) {
			passed++
		}
	}
	assert.Equal(t, allBurst, passed)
	assert.Len(t, l.addresses, maxAddresses)
	assert.False(t, attempt(l, "10.0.0.2:5", now.Add(allRefill)))
}

// warnings counts the warnings about connections from an address, one per step.
func warnings(l *limits, address string, now time.Time, step time.Duration, connections int) (n int) {
	for range connections {
		p, warn := l.begin(&from{address: address}, now)
		if p != nil {
			l.failed(p)
		}
		if warn {
			n++
		}
		now = now.Add(step)
	}
	return n
}

// TestWarnings checks that an address is logged once per pause, and that many addresses cannot fill
// the log.
func TestWarnings(t *testing.T) {
	l, now := newTestLimits(), time.Unix(1000, 0)
	assert.Equal(t, 1, warnings(l, "192.0.2.1:5", now, time.Second, 600), "an address that goes on")
	now = now.Add(600*time.Second + addressBurst*addressRefill)
	assert.Equal(t, 1, warnings(l, "192.0.2.1:5", now, time.Second, 600), "it waited, and begins again")

	l, now = newTestLimits(), time.Unix(1000, 0)
	n := 0
	for second := range 60 { // 20 addresses, each with one connection per second
		for i := range 20 {
			at := now.Add(time.Duration(second)*time.Second + time.Duration(i)*50*time.Millisecond)
			n += warnings(l, fmt.Sprintf("[2001:db8:0:%x::1]:5", i), at, 0, 1)
		}
	}
	assert.Equal(t, warningBurst, n)
}

// TestPendingLimits checks the connections before the end of the authentication: few of one
// address, and a newcomer replaces the oldest of the address that has the most.
func TestPendingLimits(t *testing.T) {
	l, now := newTestLimits(), time.Unix(1000, 0)
	var conns []*from
	for i := range maxPending {
		c := &from{address: fmt.Sprintf("10.0.0.%d:5", i/pendingPerAddress)}
		conns = append(conns, c)
		now = now.Add(allRefill)
		p, _ := l.begin(c, now)
		require.NotNil(t, p)
	}
	p, _ := l.begin(&from{address: "10.0.0.0:6"}, now.Add(allRefill))
	assert.Nil(t, p)
	p, _ = l.begin(&from{address: "10.0.1.1:6"}, now.Add(allRefill))
	assert.NotNil(t, p)
	assert.True(t, conns[0].closed)
	assert.False(t, conns[1].closed)
	assert.Len(t, l.pending, maxPending)
	l.succeeded(p)
	assert.Len(t, l.pending, maxPending-1)
}

// TestOperatorsGetInBesideFloods: 1, 32 and 250 addresses make 100 silent connections a second. An
// operator gets in each time: at once from a network that is known, from any other after the first
// seconds. Nobody ends their connection while they type the password of their key.
func TestOperatorsGetInBesideFloods(t *testing.T) {
	for _, n := range testenv.Every(2, testenv.Crowds) {
		for _, six := range []bool{false, true} {
			l, now := newTestLimits(), time.Unix(1000, 0)
			require.NoError(t, l.networks.accepted(netip.MustParsePrefix("198.51.100.1/32"), now))
			var open []*pending
			try := func(address string) {
				at := now.Sub(time.Unix(1000, 0))
				p, _ := l.begin(&from{address: address}, now)
				if assert.NotNil(t, p, "%d addresses, IPv6 %v, %s after %v", n, six, address, at) {
					open = append(open, p)
				}
			}
			silent := map[*pending]time.Time{}
			for i := range 60 * 100 {
				now = now.Add(10 * time.Millisecond)
				address := fmt.Sprintf("10.0.%d.%d:5", i%n/256, i%n%256)
				if six {
					address = fmt.Sprintf("[2001:db8:%x::1]:5", i%n)
				}
				if p, _ := l.begin(&from{address: address}, now); p != nil {
					silent[p] = now
				}
				for p, since := range silent {
					if now.Sub(since) >= handshakeTime {
						l.failed(p)
						delete(silent, p)
					}
				}
				switch i % 1000 {
				case 50:
					try("198.51.100.1:5")
				case 500:
					try(fmt.Sprintf("198.51.100.%d:5", 2+i/1000))
				case 950: // 4.5 and 9 s later
					for _, p := range open {
						assert.False(t, p.conn.(*from).closed, "%d addresses, IPv6 %v", n, six)
						l.failed(p)
					}
					open = nil
				}
			}
		}
	}
}

// TestRefusalsCostOwnTokens: a connection that the limit of all refuses takes no token of it.
func TestRefusalsCostOwnTokens(t *testing.T) {
	l, now := newTestLimits(), time.Unix(1000, 0)
	for i := range 10 * allBurst {
		attempt(l, fmt.Sprintf("10.0.%d.%d:5", i/256, i%256), now)
	}
	now = now.Add(allRefill)
	assert.False(t, attempt(l, "192.0.2.1:5", now))
	assert.True(t, attempt(l, "192.0.2.2:5", now))
	for range addressBurst - 1 {
		attempt(l, "192.0.2.2:5", now)
	}
	now = now.Add(allBurst * allRefill)
	assert.True(t, attempt(l, "192.0.2.2:5", now), "the refused ones were its own")
}

// TestKnownNetworks: a restart keeps the networks from which a key was accepted, for 30 days and at
// most 256. Others cannot read the file. A damaged one is no obstacle.
func TestKnownNetworks(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "ssh_networks"), time.Unix(1e9, 0)
	n, err := openNetworks(path)
	require.NoError(t, err)
	of := func(i int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 32)
	}
	for i := range maxNetworks + 2 {
		now = now.Add(time.Second)
		require.NoError(t, n.accepted(of(i), now))
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	again, err := openNetworks(path)
	require.NoError(t, err)
	assert.Len(t, again.seen, maxNetworks)
	assert.False(t, again.has(of(1), now), "the oldest are forgotten")
	assert.True(t, again.has(of(2), now))
	assert.True(t, again.has(of(2), now.Add(knownTime-time.Hour)))
	assert.False(t, again.has(of(2), now.Add(knownTime)))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, again.accepted(of(2), now.Add(renewTime-time.Hour)))
	same, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, same, "not at each connection")
	require.NoError(t, again.accepted(of(2), now.Add(renewTime)))
	assert.True(t, again.has(of(2), now.Add(knownTime)))
	require.NoError(t, os.WriteFile(path, []byte("10.0.0.1 yesterday\n"), 0o600))
	damaged, err := openNetworks(path)
	assert.ErrorContains(t, err, "ssh_networks:1: must be a network and a date")
	require.NoError(t, damaged.accepted(of(1), now))
	assert.True(t, damaged.has(of(1), now))
}

// TestPendingOfManyAddresses: 1, 32 and 250 addresses that begin as often as they can end no
// connection of another address within 2 s.
func TestPendingOfManyAddresses(t *testing.T) {
	for _, n := range testenv.Crowds {
		l, now := newTestLimits(), time.Unix(1000, 0)
		honest := &from{address: "198.51.100.1:5"}
		p, _ := l.begin(honest, now)
		require.NotNil(t, p)
		for ms := range 2000 {
			for range 4 {
				l.begin(&from{address: fmt.Sprintf("[2001:db8:0:%x::1]:5", ms%n)}, now.Add(time.Duration(ms)*time.Millisecond))
			}
		}
		assert.False(t, honest.closed, "%d addresses", n)
		assert.LessOrEqual(t, len(l.pending), maxPending)
	}
}

func TestSessionLimits(t *testing.T) {
	l := newTestLimits()
	people := make([]key, 6)
	for i := range people {
		signer, _ := newKey(t)
		people[i] = key{signer.PublicKey(), "moderator", "-"}
	}
	admin := people[0]
	admin.role = adminRole
	for i := range sessionsWithout {
		require.Empty(t, l.enter(people[1+i], false))
	}
	assert.Contains(t, l.enter(people[5], false), "without the role admin")
	for range sessionsPerKey {
		require.Empty(t, l.enter(admin, true), "others leave room for an admin")
	}
	assert.Contains(t, l.enter(admin, true), "as many SSH sessions")
	l.leave(people[1])
	assert.Contains(t, l.enter(admin, true), "this key has")
	assert.Empty(t, l.enter(people[5], false))
	assert.Len(t, l.sessions, maxSessions)
}

// TestRefusalsInTheLog checks that neither an address nor many of them can fill the log with failed
// connections, and that the log has their number.
func TestRefusalsInTheLog(t *testing.T) {
	l, now := newTestLimits(), time.Unix(1000, 0)
	tell := func(address string) (yes bool, untold int) {
		p, _ := l.begin(&from{address: address}, now)
		require.NotNil(t, p)
		l.failed(p)
		return l.tell(p, now)
	}
	told := func(address string, connections int, step time.Duration) (n int) {
		for range connections {
			if yes, _ := tell(address); yes {
				n++
			}
			now = now.Add(step)
		}
		return n
	}
	assert.Equal(t, refusalsPerAddress, told("192.0.2.1:5", addressBurst, 0))
	now = now.Add(addressRefill)
	assert.Zero(t, told("192.0.2.1:5", 10, addressRefill))
	now = now.Add(addressBurst * addressRefill)
	yes, untold := tell("192.0.2.1:5")
	assert.True(t, yes, "it was quiet for some time")
	assert.Equal(t, addressBurst-refusalsPerAddress+10, untold)

	l = newTestLimits()
	n := 0
	for i := range 1920 { // a minute of new addresses
		now = now.Add(allRefill)
		n += told(fmt.Sprintf("10.1.%d.%d:5", i/256, i%256), 1, 0)
	}
	assert.InDelta(t, refusalBurst+time.Minute/refusalRefill, n, 1)
}
