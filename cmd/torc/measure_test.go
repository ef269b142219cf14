package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServeMetrics reads the metrics of a server over HTTP and at its console.
func TestServeMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, "serve", "--listen", "127.0.0.1:0", "--mod", "hello", "--metrics", "127.0.0.1:0", "--name", "measured")
	at := strings.TrimSuffix(strings.TrimPrefix(p.expect("metrics at "), "metrics at "), "/metrics")
	p.expect("listening on")
	read := func(path string) string {
		r, err := http.Get(at + path)
		require.NoError(t, err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return string(text)
	}
	assert.Equal(t, "ok\n", read("/healthz"))
	text := read("/metrics")
	for _, want := range []string{
		`(?m)^torc_ticks_total \d+$`, `(?m)^torc_ticks_late_total \d+$`, `(?m)^torc_clients 0$`, `(?m)^torc_mod_calls_total\{mod="base",event="load"\} \d+$`,
		`(?m)^torc_mod_seconds_total\{mod="base",event="load"\} [0-9.e-]+$`, `(?m)^torc_mod_suspended\{mod="hello"\} 0$`,
	} {
		assert.Regexp(t, regexp.MustCompile(want), text)
	}
	p.say("metrics")
	p.expect("torc_ticks_total ")
	p.say("mod top base")
	p.expect("load")
	p.quits()
}

func TestMetricsNeedAnAddress(t *testing.T) {
	t.Parallel()
	p := start(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "9100")
	p.ends(misused)
}
