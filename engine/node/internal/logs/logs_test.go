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
