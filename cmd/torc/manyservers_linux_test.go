package main

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/netcore/seal"
)

// The packets of a rendezvous begin with these bytes (netcore/PROTOCOL.md).
const (
	rendezvousPacket = 0xE8
	renewedPacket    = 8
)

// A crowd is servers of one process that are registered at a rendezvous. Each has a socket at an
// address of its own, and answers queries.
type crowd struct {
	t       *testing.T
	at      netip.AddrPort // of the rendezvous
	began   time.Time
	renewed atomic.Int64 // renewals that were answered

	mu      sync.Mutex
	servers []*crowdServer
}

type crowdServer struct {
	crowd   *crowd
	conn    *net.UDPConn
	key     seal.Key
	mu      sync.Mutex
	reg     *rendezvous.Registration
	answers *query.Responder
	info    query.Info
}

func newCrowd(t *testing.T, at netip.AddrPort) *crowd {
	c := &crowd{t: t, at: at, began: time.Now()}
	t.Cleanup(func() {
		for _, s := range c.all() {
			_ = s.conn.Close()
		}
	})
	return c
}

func (c *crowd) all() []*crowdServer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.servers
}

// add adds the i-th server, at an address of 127.0.0.0/8 of its own. It begins to register.
func (c *crowd) add(i int) *crowdServer {
	c.t.Helper()
	id, err := seal.NewIdentity(rand.Reader)
	require.NoError(c.t, err)
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, byte(1+i>>16), byte(i>>8), byte(i))})
	require.NoError(c.t, err)
	s := &crowdServer{crowd: c, conn: conn, key: id.Public, answers: query.NewResponder(rand.Reader)}
	s.reg = rendezvous.NewRegistration(0, rand.Reader, id, netcore.UDPAddr(c.at))
	s.reg.SetPublic(0, true)
	s.info = query.Info{
		Version: netcore.ProtocolVersion, Key: id.Public, Players: i % 32, MaxPlayers: 32, Mods: []query.Mod{{Name: "ctf", Version: "1.0.0"}},
		Name:    fmt.Sprintf("%s %x", []string{"Capture the flag of", "Deathmatch at", "torc"}[i%3], id.Public[:3]),
		Mission: []string{"valley", "canyon", "island"}[i%3],
		Web:     []string{"", fmt.Sprint("https://:", 10_000+i)}[i%2],
	}
	c.mu.Lock()
	c.servers = append(c.servers, s)
	c.mu.Unlock()
	s.send()
	go s.read()
	return s
}

// read handles datagrams until the socket is closed.
func (s *crowdServer) read() {
	b := make([]byte, 2048)
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		s.receive(netcore.UDPAddr(from), b[:n])
		s.send()
	}
}

func (s *crowdServer) receive(from netcore.Addr, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Since(s.crowd.began)
	if query.Is(b) {
		if answer := s.answers.Answer(now, from, b, func() query.Info { return s.info }); answer != nil {
			s.write(answer)
		}
		return
	}
	if len(b) > 1 && b[0] == rendezvousPacket && b[1] == renewedPacket {
		s.crowd.renewed.Add(1)
	}
	s.reg.Receive(now, from, b)
}

func (s *crowdServer) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reg.Send(time.Since(s.crowd.began), func(_ netcore.Addr, b []byte) { s.write(b) })
}

func (s *crowdServer) write(b []byte) { _, _ = s.conn.WriteToUDPAddrPort(b, s.crowd.at) } // a failed write is a lost packet

func (s *crowdServer) registered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reg.Registered(time.Since(s.crowd.began))
}

// keep lets all servers renew and repeat what is due, until the test ends.
func (c *crowd) keep() {
	const parts = 20
	tick := time.NewTicker(10 * time.Millisecond)
	c.t.Cleanup(tick.Stop)
	for part := 0; ; part = (part + 1) % parts {
		select {
		case <-tick.C:
		case <-c.t.Context().Done():
			return
		}
		all := c.all()
		for i := part; i < len(all); i += parts {
			all[i].send()
		}
	}
}

// flood sends forged packets from the sockets of the crowd: n of them, in a minute. It returns how
// long that took. After each hundredth it calls beside.
func (c *crowd) flood(n int, beside func(sent int)) time.Duration {
	all, b := c.all(), make([]byte, 256)
	renewal := 2 + 16 + 32 + 8 + 1 + 16
	began := time.Now()
	for i := range n {
		_, _ = rand.Read(b)
		s := all[i%len(all)]
		b[0], b[1] = rendezvousPacket, [...]byte{0, 3, 7}[i%3] // register, lookup, renewal
		packet := b
		if i%3 == 2 {
			packet = b[:renewal]
			if i%2 == 0 {
				copy(b[18:], all[(i+1)%len(all)].key[:]) // of another server
			}
		}
		s.write(packet)
		if i%100 == 0 {
			time.Sleep(time.Until(began.Add(time.Duration(i) * time.Minute / time.Duration(n))))
			beside(i)
		}
	}
	return time.Since(began)
}

// aList is the page of a list.
type aList struct {
	t    *testing.T
	url  string
	tag  string
	keys map[string]bool
	size int // bytes of servers.json in gzip
}

// fetch reads servers.json, if it has changed.
func (l *aList) fetch() {
	l.t.Helper()
	q, err := http.NewRequest(http.MethodGet, l.url+"/servers.json", nil)
	require.NoError(l.t, err)
	q.Header.Set("Accept-Encoding", "gzip")
	q.Header.Set("If-None-Match", l.tag)
	a, err := http.DefaultClient.Do(q)
	require.NoError(l.t, err)
	packed, err := io.ReadAll(a.Body)
	require.NoError(l.t, err)
	require.NoError(l.t, a.Body.Close())
	if a.StatusCode == http.StatusNotModified {
		return
	}
	require.Equal(l.t, http.StatusOK, a.StatusCode)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(l.t, err)
	var servers []struct{ Key string }
	require.NoError(l.t, json.NewDecoder(z).Decode(&servers))
	l.tag, l.size, l.keys = a.Header.Get("ETag"), len(packed), map[string]bool{}
	for _, s := range servers {
		l.keys[s.Key] = true
	}
}

// until fetches the list each 0.1 s until it is as wanted. It returns how long that took.
func (l *aList) until(what string, is func() bool) time.Duration {
	l.t.Helper()
	began := time.Now()
	for limit := testenv.Limit(l.t); ; {
		if l.fetch(); is() {
			return time.Since(began)
		}
		require.False(l.t, testenv.Expired(limit), what)
		time.Sleep(100 * time.Millisecond)
	}
}

// cpuOf returns the CPU time of a process.
func cpuOf(t *testing.T, p *process) time.Duration {
	t.Helper()
	used, known := testenv.CPUTime(p.cmd.Process.Pid)
	require.True(t, known)
	return used
}

// peakHeap returns the largest heap that GODEBUG=gctrace=1 has printed, in MiB.
func peakHeap(t *testing.T, trace string) (peak int) {
	t.Helper()
	all := regexp.MustCompile(`(?m)^gc \d+ .* (\d+)->(\d+)->\d+ MB`).FindAllStringSubmatch(trace, -1)
	require.NotEmpty(t, all)
	for _, x := range all {
		before, _ := strconv.Atoi(x[1]) // digits
		after, _ := strconv.Atoi(x[2])
		peak = max(peak, before, after)
	}
	return peak
}

// TestListOfManyServers runs torc rendezvous --list with 10,000 servers, each with a socket and an
// address of its own: the heap has at most 64 MiB, the renewals take at most 10 % of a core, and
// servers.json has at most 700 kB in gzip. A server that starts then is listed within 3 s, and gone
// within 35 s after its end. A million forged packets a minute list nobody and take nobody out, and
// servers that register meanwhile need a second. The figures in seconds hold with TORC_QUIET=1.
func TestListOfManyServers(t *testing.T) {
	if !testenv.Long() {
		t.Skip("takes three minutes: TORC_LONG=1")
	}
	quiet := os.Getenv("TORC_QUIET") != ""
	const many = 10_000
	r, address, url := startList(t, "env", "GOGC=100", "GODEBUG=gctrace=1")
	at, err := netip.ParseAddrPort(address)
	require.NoError(t, err)
	l := &aList{t: t, url: url}
	c := newCrowd(t, at)
	go c.keep()
	began := time.Now()
	for i := range many {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / 400))) // a rendezvous exchanges 500 keys a second
		c.add(i)
	}
	l.until("all are listed", func() bool { return len(l.keys) == many })
	t.Logf("%d servers are listed %v after the first one has begun, servers.json has %d bytes in gzip", many, time.Since(began), l.size)
	assert.LessOrEqual(t, l.size, 700_000)

	one := c.add(many)
	appears := l.until("one more is listed", func() bool { return l.keys[one.key.String()] })
	require.NoError(t, one.conn.Close())
	cpu, renewed, since := cpuOf(t, r), c.renewed.Load(), time.Now()
	gone := l.until("it is gone", func() bool { return !l.keys[one.key.String()] })
	used, rounds := cpuOf(t, r)-cpu, float64(c.renewed.Load()-renewed)/many
	t.Logf("it appears after %v and is gone after %v", appears, gone)
	t.Logf("%v of CPU in %v, %.2f renewals of all and queries of them: %.1f %% of a core", used, time.Since(since), rounds, used.Seconds()/rounds*10)
	assert.LessOrEqual(t, used.Seconds()/rounds, 1., "10 % of a core: each server renews its registration each 10 s")
	assert.True(t, !quiet || appears <= 3*time.Second)
	assert.True(t, !quiet || gone <= 35*time.Second)

	c.floods(l, many, quiet)
	r.quits()
	peak := peakHeap(t, r.err.String())
	t.Logf("the largest heap was %d MiB", peak)
	assert.LessOrEqual(t, peak, 64)
}

// floods sends a million forged packets while servers register, one after the other.
func (c *crowd) floods(l *aList, many int, quiet bool) {
	t := c.t
	var honest []*crowdServer
	var registers bool // the last one
	var since time.Time
	var longest time.Duration
	took := c.flood(1_000_000, func(sent int) {
		if registers && honest[len(honest)-1].registered() {
			registers, longest = false, max(longest, time.Since(since))
		}
		if !registers && sent%2000 == 0 {
			registers, since = true, time.Now()
			honest = append(honest, c.add(many+1+len(honest)))
		}
	})
	all := many + len(honest)
	l.until("all honest ones are listed", func() bool { return len(l.keys) >= all })
	assert.Len(t, l.keys, all, "no forged one, and all others")
	for _, s := range honest {
		assert.True(t, l.keys[s.key.String()])
	}
	t.Logf("a million forged packets in %v: %d servers have registered meanwhile, each within %v", took, len(honest), longest)
	assert.True(t, !quiet || longest <= time.Second)
}
