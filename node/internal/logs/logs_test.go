package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLimitReportsDroppedRecords(t *testing.T) {
	l := &limits{seen: map[string]*limit{}}
	start := time.Unix(100, 0)
	passed := 0
	for i := range 50 {
		if pass, _ := l.take("flood", start.Add(time.Duration(i)*time.Millisecond)); pass {
			passed++
		}
	}
	assert.Equal(t, perSecond, passed)
	pass, _ := l.take("other", start)
	assert.True(t, pass, "one message does not silence another")
	pass, kept := l.take("flood", start.Add(time.Second))
	assert.True(t, pass)
	assert.Equal(t, 50-perSecond, kept)
	_, kept = l.take("flood", start.Add(time.Second))
	assert.Zero(t, kept, "told once")
}

func TestLimitsAreBounded(t *testing.T) {
	l := &limits{seen: map[string]*limit{}}
	passed := 0
	for i := range 10 * messages {
		if pass, _ := l.take(fmt.Sprint("message ", i), time.Unix(1, 0)); pass {
			passed++
		}
	}
	assert.LessOrEqual(t, len(l.seen), messages+1)
	assert.Equal(t, messages+perSecond, passed)
	pass, _ := l.take("a new one", time.Unix(2, 0))
	assert.True(t, pass, "the next second begins anew")
	assert.Less(t, len(l.seen), 10)
}

func TestOneRecordIsOnePlainLine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		hostile := make([]rune, rnd.IntN(20))
		for i := range hostile {
			hostile[i] = []rune{0, '\x1b', '\n', '\r', '"', '\u202e', '\u200b', '\u0085', '\x7f', 'x', '%', '\u2028'}[rnd.IntN(12)]
		}
		for _, format := range []string{"text", "json"} {
			var out bytes.Buffer
			New(&out, slog.LevelInfo, format).Info("said "+string(hostile), "by", string(hostile), "err", errors.New(string(hostile)))
			line := strings.TrimSuffix(out.String(), "\n")
			for _, r := range line {
				require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Cf, r), "%q", line)
			}
		}
	}
}

func TestFormatAndLevel(t *testing.T) {
	var out bytes.Buffer
	log := New(&out, slog.LevelWarn, "json").With("side", "server")
	log.Info("no")
	log.Warn("yes", "n", 1)
	var record map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &record))
	assert.Equal(t, "yes", record["msg"])
	assert.Equal(t, "server", record["side"])
}

// TestPeersShareTheLog checks the bytes of warnings about peers: 1 KiB/s for one peer, 8 KiB/s for
// all peers. The other records, and the first warnings about an honest peer, are written.
func TestPeersShareTheLog(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		h := New(&out, slog.LevelInfo, format).Handler()
		now := time.Unix(100, 0)
		warn := func(peer int, command string) int {
			before := out.Len()
			r := slog.NewRecord(now, slog.LevelWarn, "unknown command", 0)
			r.AddAttrs(slog.Int(PeerKey, peer), slog.String("command", command))
			require.NoError(t, h.Handle(t.Context(), r))
			return out.Len() - before
		}
		written, lines := 0, 0
		for n := range 1000 {
			got := warn(1, strings.Repeat([]string{"x", "\"", "\x1b", "ä"}[n%4], 8_000))
			if written += got; got > 0 {
				lines++
			}
		}
		assert.LessOrEqual(t, written, peerBytes)
		assert.Positive(t, lines)
		assert.Positive(t, warn(2, "Hi"), "an honest peer has its own share")

		for n := range 2000 {
			written += warn(10+n%100, fmt.Sprint("x", n))
		}
		assert.LessOrEqual(t, written, peersBytes)
		assert.Greater(t, written, peersBytes/2)
		assert.Zero(t, warn(3, "Hi"), "the share of all peers is used up")
		for _, message := range []string{"joined", "left", "kicked", "banned", "console"} {
			before := out.Len()
			r := slog.NewRecord(now, slog.LevelInfo, message, 0)
			r.AddAttrs(slog.Int(PeerKey, 3), slog.String("reason", "any"))
			require.NoError(t, h.Handle(t.Context(), r))
			assert.Greater(t, out.Len(), before, message)
		}

		now = now.Add(time.Second)
		out.Reset()
		warn(1, "y")
		assert.Contains(t, out.String(), "suppressed", "the next warning has the count")
		assert.Empty(t, h.(limited).limits.pools[""].peers["10"])
	}
}

// TestAddressesShareTheLog checks that the refusals of one address hide neither those of another
// one nor joins, and that all of them together are bounded.
func TestAddressesShareTheLog(t *testing.T) {
	var out bytes.Buffer
	h := New(&out, slog.LevelInfo, "text").Handler()
	now := time.Unix(100, 0)
	tell := func(message, address string) int {
		before := out.Len()
		r := slog.NewRecord(now, slog.LevelInfo, message, 0)
		r.AddAttrs(slog.String(AddressKey, address), slog.String("name", strings.Repeat("x", 100)))
		require.NoError(t, h.Handle(t.Context(), r))
		return out.Len() - before
	}
	written := 0
	for n := range 1000 {
		written += tell("join refused", fmt.Sprint("192.0.2.1:", 1000+n))
		written += tell("join refused", fmt.Sprintf("[2001:db8::%x]:1000", n))
	}
	assert.LessOrEqual(t, written, 2*peerBytes, "an IPv4 address and an IPv6 /64")
	assert.Positive(t, tell("join refused", "192.0.2.2:1000"), "another address")
	assert.Positive(t, tell("join refused", "[2001:db8:0:1::1]:1000"), "another /64")
	assert.Positive(t, tell("player joined", "192.0.2.1:1000"), "another message")
	written = 0
	for n := range 1000 {
		written += tell("join refused", fmt.Sprintf("198.51.100.%d:1000", n%250))
	}
	assert.LessOrEqual(t, written, peersBytes)
	assert.Positive(t, tell("player joined", "192.0.2.3:1000"), "refusals of many addresses hide no joins")
	out.Reset()
	now = now.Add(time.Second)
	tell("join refused", "192.0.2.1:1000")
	assert.Contains(t, out.String(), "suppressed=")
}

// TestWatch checks that a watched logger keeps the newest warnings, also those that the handler
// does not write, and none about peers.
func TestWatch(t *testing.T) {
	var b bytes.Buffer
	log, warned := Watch(New(&b, slog.LevelError, "text"))
	log.Info("not a warning")
	log.Warn("about a peer", "address", "192.0.2.1:5")
	for i := range maxWarnings + 2 {
		log.With("mod", "m\x1b").Warn("a warning", "i", i)
	}
	log.Error("an error", "why", errors.New(strings.Repeat("x", 1000)))
	count, newest := warned.List()
	assert.Equal(t, maxWarnings+3, count)
	require.Len(t, newest, maxWarnings)
	assert.Equal(t, "a warning i=3 mod=m\uFFFD", newest[0].Text)
	assert.Equal(t, "warn", newest[0].Level)
	assert.Equal(t, "error", newest[maxWarnings-1].Level)
	assert.Less(t, len(newest[maxWarnings-1].Text), 300)
	assert.Equal(t, 1, strings.Count(b.String(), "\n"), "the handler writes only errors")
}
