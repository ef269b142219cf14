package modnet

import (
	"context"
	"crypto/x509"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/sockets"
)

// loopback lets a target be on this machine, as tests need it.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// rig is a Network with timers that a test runs by hand.
type rig struct {
	*Network
	t      *testing.T
	seen   []sockets.Event
	timers timers
}

type timers struct {
	sync.Mutex
	list []*timer
}

type timer struct {
	d    time.Duration
	f    func()
	over bool
}

func (l *timers) after(d time.Duration, f func()) func() bool {
	l.Lock()
	defer l.Unlock()
	one := &timer{d: d, f: f}
	l.list = append(l.list, one)
	return func() bool {
		l.Lock()
		defer l.Unlock()
		was := one.over
		one.over = true
		return !was
	}
}

// fire runs all timers of a duration. It returns how many there were.
func (l *timers) fire(d time.Duration) int {
	l.Lock()
	var due []func()
	for _, one := range l.list {
		if one.d == d && !one.over {
			one.over = true
			due = append(due, one.f)
		}
	}
	l.Unlock()
	for _, f := range due {
		f()
	}
	return len(due)
}

// running returns the number of timers of a duration that run.
func (l *timers) running(d time.Duration) (n int) {
	l.Lock()
	defer l.Unlock()
	for _, one := range l.list {
		if one.d == d && !one.over {
			n++
		}
	}
	return n
}

func newRig(t *testing.T) *rig {
	r := &rig{Network: New(), t: t}
	r.after = r.timers.after
	t.Cleanup(func() {
		r.Shut()
		for _, one := range r.timers.list {
			require.True(t, one.over, "a timer of %v is left", one.d)
		}
	})
	return r
}

// wait waits until something is true.
func (r *rig) wait(what string, done func() bool) {
	r.t.Helper()
	limit := testenv.Limit(r.t)
	for !done() {
		require.False(r.t, testenv.Expired(limit), "%s: %v", what, r.seen)
		testenv.Pause()
	}
}

// next waits for the next event of an ID, and returns it.
func (r *rig) next(id sockets.ID) (e sockets.Event) {
	r.t.Helper()
	r.wait("no event", func() bool {
		r.seen = append(r.seen, r.Events()...)
		i := slices.IndexFunc(r.seen, func(e sockets.Event) bool { return e.ID == id })
		if i < 0 {
			return false
		}
		e = r.seen[i]
		r.seen = slices.Delete(r.seen, i, i+1)
		return true
	})
	return e
}

// text returns what a connection receives until it has n bytes.
func (r *rig) text(id sockets.ID, n int) string {
	r.t.Helper()
	var text strings.Builder
	for text.Len() < n {
		e := r.next(id)
		require.Equal(r.t, sockets.Received, e.Kind, "%+v", e)
		text.Write(e.Data)
	}
	return text.String()
}

// empty waits until the Network has no connections and no requests.
func (r *rig) empty() {
	r.t.Helper()
	r.wait("something is left", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.conns)+len(r.requests) == 0
	})
}

// get makes a request to a URL of a server, and returns its event.
func (r *rig) get(url string) sockets.Event {
	r.t.Helper()
	return r.ask(sockets.HTTPRequest{Method: "GET", URL: url})
}

func (r *rig) ask(q sockets.HTTPRequest) sockets.Event {
	r.t.Helper()
	if q.Most == 0 {
		q.Most = sockets.MaxBody
	}
	if q.Allow == nil {
		q.Allow = loopback
	}
	r.HTTP(1, q)
	return r.next(1)
}

// trust makes the Network trust a certificate.
func (r *rig) trust(c *x509.Certificate) {
	r.roots = x509.NewCertPool()
	r.roots.AddCert(c)
}

// resolve makes names resolve to addresses. Each list of addresses is for one question; the last
// one stays.
func (r *rig) resolve(names map[string][][]string) {
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = socket.Close() })
	go serveNames(socket, maps.Clone(names))
	r.resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

// serveNames answers questions for IPv4 addresses until the socket is closed.
func serveNames(socket net.PacketConn, names map[string][][]string) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		name := strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")
		if lists := names[name]; len(lists) > 0 {
			for _, text := range lists[0] {
				a := netip.MustParseAddr(text)
				head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
				switch {
				case q.Type == dnsmessage.TypeA && a.Is4():
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
				case q.Type == dnsmessage.TypeAAAA && a.Is6():
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
				}
			}
			if q.Type == dnsmessage.TypeA && len(lists) > 1 {
				names[name] = lists[1:]
			}
		}
		if b, err := m.Pack(); err == nil {
			_, _ = socket.WriteTo(b, from)
		}
	}
}
