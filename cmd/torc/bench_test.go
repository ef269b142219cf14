package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBenchNamesItsWorkloads(t *testing.T) {
	for _, args := range [][]string{{"bench"}, {"bench", "nothing"}, {"bench", "--json"}} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, misused, run(args, &stdout, &stderr))
		assert.Empty(t, stdout.String())
		assert.Contains(t, stderr.String(), "replicate, events, loss, ")
	}
}

// TestBenchPlay runs a very short fight. It checks that the workload works and does not measure
// speed.
func TestBenchPlay(t *testing.T) {
	t.Parallel()
	p := start(t, "bench", "play", "--clients", "3", "--seconds", "0.2", "--json")
	for range 2 {
		row := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(p.line()), &row))
		assert.Equal(t, 3., row["clients"])
		assert.Greater(t, row["ticks"], 4.)
		assert.LessOrEqual(t, row["visible_players"], 2.)
		for _, field := range []string{
			"tick_ms_p99", "receive_ms_mean", "moves_ms_mean", "simulation_ms_mean", "lua_ms_mean", "replicate_ms_mean", "send_ms_mean",
			"lua_share", "visible_players", "moves_per_client_s", "bits_per_visible_player_s", "updates_hz_per_visible_player",
		} {
			assert.Positive(t, row[field], field)
		}
	}
	cost := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(p.line()), &cost))
	assert.Positive(t, cost["player_move_ns"])
	assert.Positive(t, cost["replay_30_moves_us"])
	p.ends(ended)
}
