package query

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

func udp(address string) netcore.Addr { return netcore.UDPAddr(netip.MustParseAddrPort(address)) }

var (
	client = udp("192.0.2.7:4000")
	host   = udp("198.51.100.1:28000")
)

func example() Info {
	return Info{
		Version: 2, Key: seal.Key{1, 2, 3}, Password: true, Draining: true, Players: 3, Bots: 2, MaxPlayers: 128, Name: "Älpha",
		Mission: "valley", ModCount: 2, Mods: []Mod{{"base", "1.0.0"}, {"ctf", "1.2.0"}},
	}
}

// challenge returns the cookie that a responder gives an address.
func challenge(t *testing.T, r *Responder, now netcore.Time, from netcore.Addr, nonce seal.Nonce) seal.Cookie {
	b := r.Answer(now, from, appendRequest(nil, nonce, seal.Cookie{}), func() Info { t.Error("asked"); return Info{} })
	cookie, ok := parseChallenge(b, nonce)
	require.True(t, ok)
	return cookie
}

// TestSearch: a search finds a server over a line that loses half of all packets.
func TestSearch(t *testing.T) {
	for _, group := range []bool{false, true} {
		r := NewResponder(rand.Reader)
		targets := []netcore.Addr{host, udp("[2001:db8::1]:28000")}
		if group {
			targets = nil
		}
		s, err := NewSearch(0, rand.Reader, targets...)
		require.NoError(t, err)
		packets := 0
		lost := func() bool { packets++; return packets%4 == 1 || packets%4 == 2 }
		now := netcore.Time(0)
		for ; len(s.Found()) == 0; now = max(s.Due(), now+time.Millisecond) {
			require.Less(t, now, 3*time.Second)
			s.Send(now, func(to netcore.Addr, b []byte) {
				if to.Kind != netcore.AddrNone && to != host || lost() {
					return
				}
				if answer := r.Answer(now, client, b, example); answer != nil && !lost() {
					s.Receive(now+20*time.Millisecond, host, answer)
				}
			})
		}
		assert.Equal(t, []Found{{Addrs: []netcore.Addr{host}, Info: example(), RTT: 20 * time.Millisecond}}, s.Found())
	}
}

// TestAnswersAreNotLarger: no answer is larger than its request, and without a valid cookie an
// address gets 34 bytes. Shorter requests get nothing.
func TestAnswersAreNotLarger(t *testing.T) {
	r, nonce := NewResponder(rand.Reader), seal.Nonce{1}
	huge := Info{Web: "https://" + strings.Repeat("w", maxWeb-8), Name: strings.Repeat("ä", 500), Mission: strings.Repeat("m", 500)}
	for i := range 300 {
		huge.Mods = append(huge.Mods, Mod{fmt.Sprintf("mod%d", i), strings.Repeat("1", i)})
	}
	request := appendRequest(nil, nonce, seal.Cookie{})
	assert.Len(t, r.Answer(0, client, request, nil), challengeSize)
	assert.Equal(t, 34, challengeSize)
	cookie := challenge(t, r, 0, client, nonce)
	answer := r.Answer(0, client, appendRequest(nil, nonce, cookie), func() Info { return huge })
	assert.LessOrEqual(t, len(answer), len(request))
	info, err := parseInfo(answer[headSize:])
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("ä", 64), info.Name)
	assert.Equal(t, 255, info.ModCount)
	assert.NotEmpty(t, info.Mods)
	assert.Equal(t, huge.Web, info.Web, "mods leave room for the link")
	for n := range len(request) {
		assert.Nil(t, r.Answer(0, client, request[:n], nil), n)
	}
	assert.Nil(t, r.Answer(0, client, append(request, 0), nil))
}

// TestCookiesBelongToAddresses: a cookie is worth nothing at another address or port, with another
// nonce, or after a minute.
func TestCookiesBelongToAddresses(t *testing.T) {
	r, nonce := NewResponder(rand.Reader), seal.Nonce{1}
	cookie := challenge(t, r, 0, client, nonce)
	own := client
	own.Own = host.IP // the search asked a group, and then this address
	for _, c := range []struct {
		from  netcore.Addr
		nonce seal.Nonce
		at    netcore.Time
		valid bool
	}{
		{client, nonce, 0, true}, {own, nonce, 59 * time.Second, true}, {client, nonce, time.Minute, false},
		{udp("192.0.2.7:4001"), nonce, 0, false}, {udp("192.0.2.8:4000"), nonce, 0, false}, {client, seal.Nonce{2}, 0, false},
	} {
		answer := r.Answer(c.at, c.from, appendRequest(nil, c.nonce, cookie), example)
		assert.Equal(t, c.valid, answer != nil && answer[1] == packetAnswer, "%+v", c)
	}
}

// TestLimits: an address gets four answers a second, an IPv6 /48 sixteen, all addresses 200, and
// 500 challenges.
func TestLimits(t *testing.T) {
	count := func(n int, answer func(i int) []byte) (given int) {
		for i := range n {
			if answer(i) != nil {
				given++
			}
		}
		return given
	}
	for _, c := range []struct {
		address func(i int) netcore.Addr
		want    int
	}{
		{func(i int) netcore.Addr { return udp(fmt.Sprintf("192.0.2.7:%d", i+1)) }, answersByAddress},
		{func(i int) netcore.Addr { return udp(fmt.Sprintf("[2001:db8::%x]:1", i+1)) }, answersByAddress},
		{func(i int) netcore.Addr { return udp(fmt.Sprintf("[2001:db8:0:%x::1]:1", i+1)) }, 4 * answersByAddress},
		{func(i int) netcore.Addr { return udp(fmt.Sprintf("10.1.%d.%d:1", i/250, i%250)) }, answersPerSecond},
	} {
		r := NewResponder(rand.Reader)
		got := count(400, func(i int) []byte {
			cookie := challenge(t, r, 0, c.address(i), seal.Nonce{1})
			return r.Answer(0, c.address(i), appendRequest(nil, seal.Nonce{1}, cookie), example)
		})
		assert.Equal(t, c.want, got)
	}
	r := NewResponder(rand.Reader)
	assert.Equal(t, challengesPerSecond, count(2*challengesPerSecond, func(i int) []byte {
		return r.Answer(0, udp(fmt.Sprintf("10.1.%d.%d:1", i/250, i%250)), appendRequest(nil, seal.Nonce{1}, seal.Cookie{}), nil)
	}))
}

// TestSearchIgnoresStrangers: a search of one server sends nothing to another address. A search
// asks at most 256 servers, five times each, and believes only answers with its nonce from a server
// that it has asked.
func TestSearchIgnoresStrangers(t *testing.T) {
	s, err := NewSearch(0, rand.Reader, host)
	require.NoError(t, err)
	forged := func(s *Search) []byte { return append(appendHead(nil, packetChallenge, s.nonce), make([]byte, 15)...) }
	s.Receive(0, client, append(forged(s), 1))
	assert.Empty(t, s.servers)
	info := example()
	answer := info.append(appendHead(nil, packetAnswer, s.nonce))
	s.Receive(0, host, answer)
	assert.Empty(t, s.Found(), "an answer before the challenge")
	s.Receive(0, host, append(forged(s), 1))
	for _, other := range []seal.Nonce{{}, {1}} {
		s.Receive(0, host, info.append(appendHead(nil, packetAnswer, other)))
		assert.Empty(t, s.Found(), "another nonce")
	}
	s.Receive(0, host, answer)
	assert.Len(t, s.Found(), 1)

	s, err = NewSearch(0, rand.Reader)
	require.NoError(t, err)
	for i := range 1000 {
		s.Receive(0, udp(fmt.Sprintf("10.0.%d.%d:1", i/250, i%250)), append(forged(s), 1))
	}
	sent := 0
	for now := netcore.Time(0); now < 10*time.Second; now += retryTime {
		s.Send(now, func(to netcore.Addr, _ []byte) {
			if to.Kind != netcore.AddrNone {
				sent++
			}
		})
	}
	assert.Equal(t, maxServers*maxTries, sent)
}

// TestInfoTruncated: every prefix of an answer is refused or read without its last mods. One ends
// with the mods, as answers of protocol 9 do.
func TestInfoTruncated(t *testing.T) {
	info := example()
	b := info.append(nil)
	got, err := parseInfo(b)
	require.NoError(t, err)
	assert.Equal(t, info, got)
	for cut := range b {
		if got, err := parseInfo(b[:cut]); err == nil && cut != len(b)-2 {
			assert.Less(t, len(got.Mods), 2)
		}
	}
}

// TestInfoOfOtherVersions: a reader of protocol 9 takes the mods and nothing else, also when some
// found no room, and an answer of protocol 9 is read. Links that are too long are left out.
func TestInfoOfOtherVersions(t *testing.T) {
	info := example()
	info.Web = "https://play.example.org"
	b := info.append(nil)
	old := b[:len(b)-2-len(info.Web)]
	got, err := parseInfo(old)
	require.NoError(t, err)
	assert.Equal(t, example(), got)
	got, err = parseInfo(append(b, "of a later version"...))
	require.NoError(t, err)
	assert.Equal(t, info, got)
	info.Web = "https://" + strings.Repeat("w", maxWeb)
	got, err = parseInfo(info.append(nil))
	require.NoError(t, err)
	assert.Equal(t, example(), got)

	for range 100 {
		info.Mods = append(info.Mods, Mod{"mod", "1.0.0"})
	}
	b = info.append(nil)
	r := reader{rest: b[4+len(info.Key)+1+3*2:]}
	r.text()
	r.text()
	for range r.byte() { // as protocol 9 reads it
		assert.NotEmpty(t, r.text())
		assert.NotEmpty(t, r.text())
	}
	assert.False(t, r.failed)
	assert.Len(t, r.rest, 2)
}

// TestServerWithTwoAddresses: a server that answers from two addresses is one server, IPv4 first.
func TestServerWithTwoAddresses(t *testing.T) {
	r := NewResponder(rand.Reader)
	s, err := NewSearch(0, rand.Reader)
	require.NoError(t, err)
	four, six := host, udp("[fe80::1%3]:28000")
	s.Send(0, func(_ netcore.Addr, b []byte) {
		for _, at := range []netcore.Addr{six, four} {
			s.Receive(0, at, r.Answer(0, client, b, example))
		}
	})
	assert.Len(t, s.servers, 2)
	for _, v := range s.servers {
		info := example()
		s.Receive(0, v.addr, info.append(appendHead(nil, packetAnswer, s.nonce)))
	}
	require.Len(t, s.Found(), 1)
	assert.Equal(t, []netcore.Addr{four, six}, s.Found()[0].Addrs)
}

func FuzzAnswer(f *testing.F) {
	info := example()
	f.Add(info.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if info, err := parseInfo(b); err == nil {
			_, err := parseInfo(info.append(nil))
			assert.NoError(t, err)
		}
	})
}

// TestQueriesSurviveFloods: 1, 32 and 250 addresses ask 2,000 times a second for 10 s. 20 clients
// of other addresses get their answers.
func TestQueriesSurviveFloods(t *testing.T) {
	for _, n := range testenv.Crowds {
		for _, form := range []string{"10.0.%d.%d:1", "[2001:db8:%x%02x::1]:1"} {
			r, cookies := NewResponder(rand.Reader), make([]seal.Cookie, n)
			flood := func(i int) netcore.Addr { return udp(fmt.Sprintf(form, i%n/250, i%n%250)) }
			for i := range cookies {
				cookies[i] = challenge(t, r, 0, flood(i), seal.Nonce{1})
			}
			answered, asked := 0, 0
			for i := range 10 * 2000 {
				now := netcore.Time(i) * time.Second / 2000
				r.Answer(now, flood(i), appendRequest(nil, seal.Nonce{1}, seal.Cookie{}), example) // a challenge, too
				r.Answer(now, flood(i), appendRequest(nil, seal.Nonce{1}, cookies[i%n]), example)
				if i%1000 == 999 {
					asked++
					client := udp(fmt.Sprintf("198.51.100.%d:1", asked))
					cookie := challenge(t, r, now, client, seal.Nonce{2})
					if r.Answer(now, client, appendRequest(nil, seal.Nonce{2}, cookie), example) != nil {
						answered++
					}
				}
			}
			assert.Equal(t, asked, answered, "%d addresses %s", n, form)
		}
	}
}

// TestFlagsAreIndependent: each flag reads as it was written, and a reader ignores those that it
// does not know.
func TestFlagsAreIndependent(t *testing.T) {
	for _, want := range []Info{{}, {Password: true}, {Draining: true}, {Password: true, Draining: true}} {
		b := want.append(nil)
		b[4+len(want.Key)] |= 0xF0
		got, err := parseInfo(b)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}
