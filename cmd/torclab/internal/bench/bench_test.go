package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// tiny is the time of a row in these tests. They check that a workload works and do not measure
// speed.
const tiny = 20 * time.Millisecond

// TestMain lets the test binary run as the client process of a workload.
func TestMain(m *testing.M) {
	testenv.EndWithParent()
	for _, limit := range []*time.Duration{&joinMost, &settleMost, &connectMost, &childMost, &joinAll, &reloadMost} {
		*limit = 24 * time.Hour
	}
	settleAsk, reloadPause = 2*tickTime, 2*tickTime
	if len(os.Args) == 2 && os.Args[1] == Clients {
		if err := RunClients(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testenv.Parallel(8)
	os.Exit(m.Run())
}

// rows runs a workload and returns its machine-readable rows.
func rows(t *testing.T, name string, load Load) []map[string]any {
	t.Helper()
	w, ok := Find(name)
	require.True(t, ok)
	var out bytes.Buffer
	require.NoError(t, w.Print(&out, Options{JSON: true, Row: tiny, Load: load}))
	var all []map[string]any
	for line := range strings.Lines(out.String()) {
		row := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &row), line)
		assert.Equal(t, name, row["workload"])
		all = append(all, row)
	}
	return all
}

func TestEvents(t *testing.T) {
	all := rows(t, "events", Load{})
	require.Len(t, all, 1)
	for _, field := range []string{"events_per_s", "bits_per_event", "events_per_packet"} {
		assert.Positive(t, all[0][field], field)
	}
	assert.Contains(t, all[0], "sender_cpu_ns_per_event")
	assert.Contains(t, all[0], "receiver_cpu_ns_per_event")
}

func TestLoss(t *testing.T) {
	t.Parallel()
	lossRates, lineProfiles = testenv.Every(3, lossRates), testenv.Every(3, lineProfiles) // no other test reads them
	all := rows(t, "loss", Load{})
	byLoss := 4 * len(lossRates)
	first := byLoss + len(lineProfiles)
	require.Len(t, all, first+5)
	for _, row := range all[:byLoss] {
		assert.GreaterOrEqual(t, row["events_ms_p50"], 50., "the delay of the line")
		assert.GreaterOrEqual(t, row["events_ms_max"], row["events_ms_p50"])
		assert.GreaterOrEqual(t, row["converge_ms_p50"], 50.)
		assert.GreaterOrEqual(t, row["converge_ms_max"], row["converge_ms_p50"])
	}
	for _, row := range all[byLoss:first] { // in virtual time: the figures do not depend on the machine
		assert.GreaterOrEqual(t, row["command_ms_p50"], 50., "%s", row["profile"])
		assert.LessOrEqual(t, row["command_ms_p99"], row["aim_ms_p99"], "%s", row["profile"])
	}
	assert.LessOrEqual(t, all[first]["first_ms_max"], 160., "without loss")
	assert.LessOrEqual(t, all[first+1]["first_ms_p50"], 300., "10 %% lost")
	slow := all[first+4]
	assert.LessOrEqual(t, slow["dropped"], 30., "as with a first window of four packets")
	assert.LessOrEqual(t, slow["chat_ms_p90"], 2000.)
}

func TestConnect(t *testing.T) {
	t.Parallel()
	all := rows(t, "connect", Load{})
	require.Len(t, all, 1)
	for _, field := range []string{"connects_per_s_core", "connect_ms_p50", "spoofed_per_s_absorbed", "tick_p99_growth"} {
		assert.Positive(t, all[0][field], field)
	}
}

// TestMods runs a few ticks of a match without mods and with the hundred mods of the workload.
func TestMods(t *testing.T) {
	t.Parallel()
	all := rows(t, "mods", Load{})
	require.Len(t, all, 1)
	assert.InDelta(t, 9*modBots+7, all[0]["instructions_per_mod_tick"], 1, "all players in each tick")
	for _, field := range []string{"ticks", "lua_ms_p50", "lua_ms_p99", "without_mods_ms_p50", "ns_per_player_looked_at"} {
		assert.Positive(t, all[0][field], field)
	}
}

func TestTable(t *testing.T) {
	w := Workload{Name: "x", About: "what it is", run: func(_ Options, emit func(Row)) error {
		emit(Row{{"speed", 1234567.8}, {"share", 0.12345}, {"cpu", nil}, {"runs", 3}})
		return nil
	}}
	var table, lines bytes.Buffer
	require.NoError(t, w.Print(&table, Options{}))
	assert.Equal(t, "x: what it is\n\n    speed  share  cpu  runs\n  1234568  0.123    -     3\n", table.String())
	require.NoError(t, w.Print(&lines, Options{JSON: true}))
	assert.Equal(t, `{"workload":"x","speed":1234568,"share":0.123,"cpu":null,"runs":3}`+"\n", lines.String())
	w.run = func(_ Options, emit func(Row)) error { emit(Row{{"speed", 1}}); return errors.New("enough") }
	table.Reset()
	require.EqualError(t, w.Print(&table, Options{}), "enough")
	assert.Contains(t, table.String(), "speed\n      1\n", "what there is")
	_, ok := Find("nothing")
	assert.False(t, ok)
	assert.Contains(t, Names(), "events")
}

func BenchmarkEvents(b *testing.B) {
	for range b.N {
		require.NoError(b, events(3*time.Second, func(r Row) {
			for _, f := range r {
				if v, ok := f.Value.(float64); ok {
					b.ReportMetric(v, f.Name)
				}
			}
		}))
	}
}
