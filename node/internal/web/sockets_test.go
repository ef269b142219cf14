package web

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// pipes is a net.Listener whose connections come from any address.
type pipes struct{ conns chan net.Conn }

type pipe struct {
	net.Conn
	from net.Addr
}

func (p pipe) RemoteAddr() net.Addr { return p.from }

func (p pipes) Accept() (net.Conn, error) {
	c, open := <-p.conns
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// connect opens a connection. It returns when the server has accepted it or closed it.
func (p pipes) connect(from netip.Addr) net.Conn {
	a, b := net.Pipe()
	p.conns <- pipe{a, net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 1))}
	return b
}

// sendGet sends a request. It returns an error if the connection was closed.
func sendGet(c net.Conn) error {
	_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	return err
}

// rest reads an answer to its end.
func rest(r *bufio.Reader) (int, error) {
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return len(b), err
}

// owners returns n addresses: IPv4 addresses, or IPv6 addresses of one /64 each.
func owners(n int, six bool) (all []netip.Addr) {
	for i := range n {
		if six {
			all = append(all, netip.AddrFrom16([16]byte{0: 0x20, 1: 1, 4: byte(i >> 8), 5: byte(i), 15: 1}))
		} else {
			all = append(all, netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)}))
		}
	}
	return all
}

// TestDownloadsSurviveFloods: while 1, 32 and 250 addresses have more connections than they can
// have, a download goes on, and another visitor loads the page. The connections of the flood send
// nothing, or they send a request and do not read the answer.
func TestDownloadsSurviveFloods(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 1<<18)
	for _, n := range testenv.Crowds {
		for _, six := range []bool{false, true} {
			for _, asks := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d addresses, IPv6 %v, requests %v", n, six, asks), func(t *testing.T) {
					p := pipes{make(chan net.Conn)}
					s := newSockets(p, nil)
					server := newHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Length", fmt.Sprint(len(body)))
						_, _ = w.Write(body)
					}))
					ended := make(chan struct{})
					go func() { _ = server.Serve(s); close(ended) }()
					defer func() { close(p.conns); _ = server.Close(); <-ended }()

					download := p.connect(netip.MustParseAddr("198.51.100.1"))
					require.NoError(t, sendGet(download))
					reader := bufio.NewReader(download)
					_, err := reader.Peek(1) // the download has begun
					require.NoError(t, err)

					flood := owners(n, six)
					for i := range 3 * maxSockets {
						c := p.connect(flood[i%n])
						defer c.Close()
						if asks {
							_ = sendGet(c) // of a connection that has no place
						}
					}
					visitor := p.connect(netip.MustParseAddr("198.51.100.2"))
					require.NoError(t, sendGet(visitor))
					got, err := rest(bufio.NewReader(visitor))
					require.NoError(t, err)
					assert.Equal(t, len(body), got, "a visitor loads the page")
					got, err = rest(reader)
					require.NoError(t, err)
					assert.Equal(t, len(body), got, "a download goes on")
				})
			}
		}
	}
}

// TestBusySocketsAreShared: if all connections are busy, an address gets a place from one with
// more, and no address loses its place to one with as many.
func TestBusySocketsAreShared(t *testing.T) {
	s := newSockets(nil, proxies{netip.MustParsePrefix("10.0.0.0/8")})
	works := func(from netip.Addr) *socket {
		a, _ := net.Pipe()
		k := s.admit(time.Now(), a, from)
		if k != nil {
			k.works(true)
		}
		return k
	}
	most, proxy := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("10.0.0.1")
	first, second := works(most), works(most)
	for _, from := range owners(maxSockets-2, true) {
		require.NotNil(t, works(from))
	}
	assert.Nil(t, works(most))
	require.NotNil(t, works(netip.MustParseAddr("192.0.2.2")))
	assert.Contains(t, s.open, first)
	assert.NotContains(t, s.open, second, "the newest of the address with the most makes room")
	assert.Nil(t, works(netip.MustParseAddr("192.0.2.3")), "nobody has more than one")
	first.works(false)
	require.NotNil(t, works(proxy), "an idle one makes room")
	assert.NotContains(t, s.open, first)
	first.works(true)
	assert.NotContains(t, s.open, first, "it was closed")
	for _, k := range append([]*socket{}, s.open...) {
		k.upgraded()
	}
	assert.Empty(t, s.counts)
	assert.Empty(t, s.idle)
}

// TestReceiversStay: while 1, 32 and 250 addresses have more busy connections than they can have,
// 20 others get one, and none is taken from those that receive, though their address has the most.
// A connection without 4 kB in 2 s makes room, and if all receive, the new one is refused.
func TestReceiversStay(t *testing.T) {
	for _, n := range testenv.Crowds {
		for _, six := range []bool{false, true} {
			s, now := newSockets(nil, nil), time.Unix(1, 0)
			works := func(from netip.Addr, took int) *socket {
				k := s.admit(now, unused(), from)
				if k != nil {
					k.works(true)
					k.got.add(now, took)
				}
				return k
			}
			school, flood := netip.MustParseAddr("198.51.100.1"), owners(n, six)
			var receive []*socket
			for range socketsPerAddress - 1 {
				receive = append(receive, works(school, receivingBytes))
			}
			idle := works(school, receivingBytes)
			idle.works(false) // between two files of a page
			for i := range 2 * maxSockets {
				works(flood[i%n], receivingBytes-1)
			}
			now = now.Add(receivingTime - 1)
			for i := range 20 {
				visitor := netip.AddrFrom4([4]byte{198, 51, 101, byte(i)})
				require.NotNil(t, works(visitor, 0), "%d addresses, IPv6 %v: visitor %d", n, six, i)
				works(flood[i%n], 0)
			}
			assert.Subset(t, s.open, append(receive, idle), "%d addresses, IPv6 %v", n, six)
		}
	}

	s, now := newSockets(nil, nil), time.Unix(1, 0)
	for i := range maxSockets {
		k := s.admit(now, unused(), owners(16, false)[i%16])
		k.works(true)
		k.got.add(now, receivingBytes/2)
		k.got.add(now.Add(receivingTime-1), receivingBytes/2)
	}
	visitor := netip.MustParseAddr("198.51.100.1")
	now = now.Add(receivingTime)
	assert.Nil(t, s.admit(now, unused(), visitor), "all receive")
	assert.NotNil(t, s.admit(now.Add(receivingTime-1), unused(), visitor), "2 s without 4 kB")
}

// unused returns a connection that nobody uses.
func unused() net.Conn {
	a, _ := net.Pipe()
	return a
}

// TestSlowReadersReceive: a peer that takes an answer in one write slowly is one that receives.
func TestSlowReadersReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pipes{make(chan net.Conn, 1)}
		s := newSockets(p, nil)
		peer := p.connect(netip.MustParseAddr("192.0.2.1"))
		c, err := s.Accept()
		require.NoError(t, err)
		go func() { _, _ = c.Write(make([]byte, 1<<20)) }()
		k := c.(*socket)
		assert.False(t, k.got.receives(time.Now()))
		for range 50 { // 4 kB/s
			_, err := io.CopyN(io.Discard, peer, 400)
			require.NoError(t, err)
			time.Sleep(100 * time.Millisecond)
		}
		assert.True(t, k.got.receives(time.Now()))
		time.Sleep(receivingTime)
		assert.False(t, k.got.receives(time.Now()), "it has stopped")
		_ = peer.Close()
		assert.Zero(t, testing.AllocsPerRun(10, func() { k.got.add(time.Now(), 1) }))
	})
}

// TestSilentPeersAreShared: 1, 32 and 250 addresses with more browsers outside of the game than
// they can have, 100 more a second, keep out none of 20 others. Half of these are there before, and
// then one comes every 2 s. Each needs 4 s to open its line and 4 s to join.
func TestSilentPeersAreShared(t *testing.T) {
	for _, n := range testenv.Crowds {
		for _, six := range []bool{false, true} {
			s, flood, tries := newPeers(), owners(n, six), 0
			more := func(times int) {
				for range times {
					s.reserve(flood[tries%n], false)
					tries++
				}
			}
			var honest []*peer
			comes := func() {
				p, ok := s.reserve(netip.AddrFrom4([4]byte{198, 51, 100, byte(len(honest))}), false)
				require.True(t, ok, "%d addresses, IPv6 %v: browser %d", n, six, len(honest))
				honest = append(honest, p)
			}
			for range 10 {
				comes()
			}
			more(3 * maxSilent)
			var joined []netcore.Addr
			for second := range 40 {
				more(100)
				if second >= 10 && second%2 == 0 && len(honest) < 20 {
					comes()
				}
				for i, p := range honest {
					require.NotNil(t, s.byAddr[p.addr], "%d addresses, IPv6 %v: browser %d after %d s", n, six, i, second)
					switch {
					case p.silent == 4 && !p.open:
						s.opened(p)
					case p.silent == 8:
						joined = append(joined, p.addr)
					}
				}
				require.LessOrEqual(t, len(s.silent), maxSilent)
				s.Sweep(slices.Values(joined))
			}
			assert.Len(t, joined, 20, "%d addresses, IPv6 %v", n, six)
		}
	}
}

// TestLimitsOfAddressesCanBeSet: the limits of an address scale with its connections, also while
// the server runs, and some addresses have none.
func TestLimitsOfAddressesCanBeSet(t *testing.T) {
	l := open(t, Options{})
	school, tunnel := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1")
	fill := func(ip netip.Addr, most int) (peers, sockets int) {
		for range most {
			if p, ok := l.reserve(ip, false); ok {
				peers++
				t.Cleanup(func() { l.release(p) })
			}
			a, _ := net.Pipe()
			if l.sockets.admit(time.Now(), a, ip) != nil {
				sockets++
			}
		}
		return peers, sockets
	}
	peers, sockets := fill(school, 200)
	assert.Equal(t, []int{silentPerAddress, socketsPerAddress}, []int{peers, sockets})
	l.SetLimits(netcore.Limits{Connections: 16, Allow: []netip.Prefix{netip.PrefixFrom(tunnel, 32)}})
	peers, sockets = fill(school, 200)
	assert.Equal(t, []int{silentPerAddress, socketsPerAddress}, []int{peers, sockets}, "as many more")
	peers, sockets = fill(tunnel, 100)
	assert.Equal(t, []int{100, 100}, []int{peers, sockets})
}

// TestOffersSurviveFloods: 1, 32 and 250 addresses make 600 offers a second for 20 s. Each offer
// that is admitted fails and gives its place back, or it stays without a browser. Meanwhile each of
// 20 other addresses makes an offer, and the server answers all.
func TestOffersSurviveFloods(t *testing.T) {
	for _, n := range testenv.Crowds {
		for _, six := range []bool{false, true} {
			for _, fails := range []bool{false, true} {
				l := &Listener{peers: newPeers(), rtc: &rtc{offers: newOffers()}}
				now, flood, passed, answered := time.Unix(1, 0), owners(n, six), 0, 0
				for i := range 20 * 600 {
					now = now.Add(time.Second / 600)
					if p, ok := l.reserveRTC(now, flood[i%n], false); ok {
						passed++
						if fails {
							l.release(p)
						}
					}
					if i%600 == 300 {
						p, ok := l.reserveRTC(now, netip.AddrFrom4([4]byte{198, 51, 100, byte(i / 600)}), false)
						if assert.True(t, ok, "%d addresses, IPv6 %v, fail %v, after %d offers", n, six, fails, i) {
							answered++
							l.release(p)
						}
					}
				}
				assert.Equal(t, 20, answered)
				assert.LessOrEqual(t, passed, offerBurst+20*offerRate)
				assert.LessOrEqual(t, passed, n*(addressOfferBurst+20*addressOffers))
			}
		}
	}
}

// TestOffersOfPlayersCostNothing: an offer whose browser joins the game is given back.
func TestOffersOfPlayersCostNothing(t *testing.T) {
	l, now := &Listener{peers: newPeers(), rtc: &rtc{offers: newOffers()}}, time.Now()
	var in []netcore.Addr
	for range 4 * addressOfferBurst {
		p, ok := l.reserveRTC(now, netip.MustParseAddr("192.0.2.1"), false)
		require.True(t, ok)
		in = append(in, p.addr)
		l.Sweep(slices.Values(in))
	}
}

// TestOffersOfASchool: the offers of an address scale with its other limits.
func TestOffersOfASchool(t *testing.T) {
	for _, row := range []struct {
		limits netcore.Limits
		want   int
	}{
		{netcore.Limits{}, addressOfferBurst},
		{netcore.Limits{Connections: 16}, 2 * addressOfferBurst},
		{netcore.Limits{Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}, 20},
	} {
		o, n := newOffers(), 0
		for range 20 {
			if o.allow(time.Unix(1, 0), netcore.WebAddr(netip.MustParseAddr("192.0.2.1"), 0), row.limits) {
				n++
			}
		}
		assert.Equal(t, row.want, n)
	}
}
