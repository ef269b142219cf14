package engine

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

func udpFrom(address string) netcore.Addr {
	return netcore.UDPAddr(netip.AddrPortFrom(netip.MustParseAddr(address), 50123))
}

// TestGuessedPasswords plays guessing clients beside honest ones.
func TestGuessedPasswords(t *testing.T) {
	var log bytes.Buffer
	var told []string
	h := &Host{Admission: Admission{Password: "sesame"}, cfg: Config{Server: true, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Guessed: func(address string, pause time.Duration) { told = append(told, fmt.Sprint(address, " ", pause)) }}}
	h.requests = joinRequests{host: h, guesses: newGuessLimiter(nil)}
	try := func(at time.Duration, from string, key byte, password string) string {
		h.now = at
		return h.requests.checkPassword(&netcore.ConnectRequest{From: udpFrom(from), Key: seal.Key{key}, Name: "Eve", Password: password})
	}
	const wrong, later = "wrong password", "too many wrong passwords from your address: try again in "
	const ask = ", or ask the operator to raise sv.addressLimit"
	s := time.Second
	assert.Empty(t, try(0, "192.0.2.1", 1, "sesame"), "this key is known from now on")
	for range 9 {
		assert.Equal(t, "this server needs a password: --password", try(0, "192.0.2.1", 9, ""), "it is no guess")
	}
	for i := range 5 {
		assert.Equal(t, wrong, try(time.Duration(i)*s, "192.0.2.1", 9, "x"))
	}
	assert.Equal(t, later+"1m0s"+ask, try(4*s, "192.0.2.1", 9, "x"))
	assert.Equal(t, later+"55s"+ask, try(9*s, "192.0.2.1", 8, "sesame"), "a pause also hides the right password")
	assert.Empty(t, try(9*s, "192.0.2.1", 1, "sesame"), "a known key is never stopped")
	assert.Empty(t, try(9*s, "192.0.2.2", 2, "sesame"), "nor is another address")
	for i := range 5 {
		assert.Equal(t, wrong, try(64*s+time.Duration(i), "192.0.2.1", 9, "x"))
	}
	assert.Equal(t, later+"2m0s"+ask, try(65*s, "192.0.2.1", 9, "x"), "the next pause is twice as long")
	assert.Equal(t, []string{"192.0.2.1:50123 1m0s", "192.0.2.1:50123 2m0s"}, told)
	assert.Equal(t, 2, strings.Count(log.String(), "too many wrong passwords"))
	assert.NotContains(t, log.String(), "sesame")

	for i := range 20 { // slower than five a minute
		assert.Equal(t, wrong, try(time.Duration(i)*16*s, "192.0.2.3", 9, "x"))
	}
	for i := range 20 { // four from each /64 of one /48
		assert.Equal(t, wrong, try(500*s, fmt.Sprintf("2001:db8:1:%x00::1", i/4), 9, "x"))
	}
	assert.Equal(t, later+"1m0s"+ask, try(500*s, "2001:db8:1:9900::1", 9, "sesame"))
	assert.Empty(t, try(500*s, "2001:db8:2::1", 3, "sesame"), "another /48")
	for range 5 {
		try(600*s, "2001:db8:3::1", 9, "x")
	}
	assert.Contains(t, try(600*s, "2001:db8:3::ffff:1", 9, "x"), later, "the same /64")
	assert.Equal(t, wrong, try(600*s, "2001:db8:3:1::1", 9, "x"), "another /64")

	wait := func() time.Duration { return h.requests.guesses.wait(h.now, udpFrom("192.0.2.9"), seal.Key{9}) }
	for i := range 8 { // 1, 2, 4 … minutes, an hour at most
		for range 5 {
			assert.Equal(t, wrong, try(h.now+wait(), "192.0.2.9", 9, "x"))
		}
		assert.Equal(t, min(time.Minute<<i, time.Hour), wait())
	}
	for range 100 {
		assert.NotContains(t, try(h.now, "127.0.0.1", 9, "x"), later)
	}
	h.requests.guesses.limits.Loopback = true
	for range guessesBy[0] {
		assert.Equal(t, wrong, try(h.now, "127.0.0.2", 9, "x"))
	}
	assert.Contains(t, try(h.now, "127.0.0.2", 9, "x"), later, "no exemption")
	assert.Equal(t, wrong, try(h.now, "127.0.0.3", 9, "x"), "each loopback address is a stranger")
}

// TestLimitLoopback checks that the variable reaches the limits.
func TestLimitLoopback(t *testing.T) {
	h := NewHost(Config{LocalWeb: true, Classes: sim.NewClasses(), Entropy: rand.NewChaCha8([32]byte{})})
	c := console.New(func(string) {})
	require.NoError(t, h.Bind(c))
	for _, on := range []string{"true", "false"} {
		require.NoError(t, c.Set("net.limitLoopback", on))
		assert.Equal(t, on == "true", h.requests.guesses.limits.Loopback)
		assert.True(t, h.requests.guesses.limits.LocalWeb)
	}
}

// TestAddressVariables checks that both variables reach the limits while the host runs, and that
// tries of the password scale with them.
func TestAddressVariables(t *testing.T) {
	h := NewHost(Config{Server: true, Password: "sesame", Classes: sim.NewClasses(), Entropy: rand.NewChaCha8([32]byte{})})
	c := console.New(func(string) {})
	require.NoError(t, h.Bind(c))
	tries := func(from string) (n int) {
		for n = 1; h.requests.guesses.failed(0, udpFrom(from)) == 0 && n < 1000; {
			n++
		}
		return n
	}
	assert.Equal(t, 8, h.Limits().Connections)
	assert.Equal(t, 5, tries("192.0.2.1"))
	require.NoError(t, c.Set("sv.addressLimit", "16"))
	assert.Equal(t, 16, h.Limits().Connections)
	assert.Equal(t, 10, tries("192.0.2.2"), "twice as many")
	require.NoError(t, c.Set("sv.addressAllow", "198.51.100.0/24, 2001:db8::1"))
	assert.Equal(t, 1000, tries("198.51.100.9"), "no limit")
	assert.Equal(t, 10, tries("2001:db8::2"))
	value, err := c.Exec("sv.addressAllow")
	require.NoError(t, err)
	assert.Contains(t, value, "198.51.100.0/24 2001:db8::1/128")
	assert.ErrorContains(t, c.Set("sv.addressAllow", "school"), "must be an address or a network, as in 10.0.0.0/8")
	assert.Error(t, c.Set("sv.addressLimit", "0"))
	require.NoError(t, c.Set("sv.addressAllow", ""))
	assert.Equal(t, 10, tries("198.51.100.10"))
}

// TestGuessesAreBounded checks the memory of the limiter.
func TestGuessesAreBounded(t *testing.T) {
	l := newGuessLimiter(nil)
	for i := range 5 * guessTable {
		from := udpFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}).String())
		l.failed(time.Hour, from)
		l.passed(seal.Key{byte(i >> 16), byte(i >> 8), byte(i)})
	}
	assert.LessOrEqual(t, l.addresses.Len(), 2*(guessTable+1))
	assert.Len(t, l.known, knownKeys)
	assert.Len(t, l.order, knownKeys)
	assert.True(t, l.known[l.order[0]])
}
