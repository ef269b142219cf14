package node_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/demo"
	"github.com/torc-engine/torc/node/nodetest"
)

// stillLife describes the net objects of a world as peers get them.
func stillLife(w *sim.World) string {
	var rows []string
	var row []byte // Sprint takes three times as long, and this runs in each tick
	w.Each(nil, func(o sim.Object) bool {
		class := o.Ident().Class()
		if class.Kind != sim.NetClass || class.Name == "GameConnection" {
			return true
		}
		row = append(row[:0], class.Name...)
		for g := range class.Groups() {
			var v sim.Values
			class.Quantise(o, g, &v)
			for i, cell := range class.Cells(g) {
				if cell.Kind == sim.CellRef {
					to := w.Find(sim.ID(v.Cells[i]))
					row = strconv.AppendBool(append(row, " to "...), to != nil)
				} else {
					row = strconv.AppendUint(append(row, ' '), v.Cells[i], 10)
				}
			}
			row = fmt.Appendf(row, " %q;", v.Texts)
		}
		rows = append(rows, string(row))
		return true
	})
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

func newViewer(t *testing.T, cfg demo.Config, film []byte) *demo.Viewer {
	t.Helper()
	r, err := demo.Open(cfg, bytes.NewReader(film), int64(len(film)))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	return r
}

// watching returns hooks that note the world after each tick, before a console line changes it.
func watching(past map[uint64]string, host func() *engine.Host) node.Hooks {
	look := func() {
		if h := host(); past[h.TickNumber()] == "" {
			past[h.TickNumber()] = stillLife(h.World())
		}
	}
	return node.Hooks{BeforeTick: look, AfterRound: func(netcore.Time, netcore.Time) { look() }}
}

// TestDemoOfAMatch records a match of ctf with bots, a reload and a change of the mission, on the
// server and on a client. The playback of each has the world of every tick, also after seeks.
func TestDemoOfAMatch(t *testing.T) {
	t.Parallel()
	data, mine := t.TempDir(), filepath.Join(t.TempDir(), "mine.torc")
	past, seen := map[uint64]string{}, map[uint64]string{}
	var v *nodetest.Virtual
	cfg := node.Config{
		Common: node.Common{Data: data, Name: "a server", Vars: []node.Var{{Name: "sv.bots", Value: "8"}, {Name: "sv.timeScale", Value: "4"}, {Name: "ctf.warmup", Value: "0"}}, Hooks: watching(past, func() *engine.Host { return v.Server.Host() })},
		Server: node.ServerConfig{Load: []string{"ctf"}, Mission: "valley"},
	}
	v = nodetest.NewVirtual(t, cfg, 0)
	v.Change = func(_ int, c *node.ClientConfig) { c.Record = mine }
	v.Hooks = watching(seen, func() *engine.Host { return v.Clients[0].Host() })
	v.AddNamed(t, 0, cfg, "Ann")
	v.Run(t, 2*time.Second)
	require.True(t, v.Clients[0].Ready())
	enter := func(line string, ticks uint64) {
		t.Helper()
		_, err := v.Server.Console().Exec(line)
		require.NoError(t, err)
		v.Run(t, time.Duration(ticks)*engine.TickTime/4)
	}
	enter("record match", testenv.Length[uint64](250, 500))
	enter("say hello everybody", 0)
	enter("mod.reload ctf", 100)
	enter("mission ridge", testenv.Length[uint64](100, 200))
	enter("record stop", 2)
	require.NoError(t, v.Clients[0].Close())
	require.NoError(t, v.Server.Close())

	server, err := os.ReadFile(filepath.Join(data, "demos", "match.torc"))
	require.NoError(t, err)
	client, err := os.ReadFile(mine)
	require.NoError(t, err)
	for _, d := range []struct {
		file []byte
		past map[uint64]string
		by   string
	}{{server, past, ""}, {client, seen, "Ann"}} {
		lines, hud := []string{}, map[int]string{}
		cfg := demo.Config{
			Message: func(_, text string) { lines = append(lines, text) },
			Hud:     func(line int, text string) { hud[line] = text },
		}
		r := newViewer(t, cfg, d.file)
		assert.Equal(t, []string{d.by, "a server"}, []string{r.Header().Player, r.Header().Server})
		assert.Greater(t, r.Length(), testenv.Length(13*time.Second, 20*time.Second))
		conn := r.Host().Server()
		check := func() (is string) {
			t.Helper()
			tick := conn.Watching.Tick()
			is = stillLife(r.Host().World())
			require.Equal(t, d.past[tick], is, "tick %d", tick)
			return is
		}
		shots := 0
		require.NoError(t, r.PlayAll(func() {
			if strings.Contains(check(), "Projectile") {
				shots++
			}
		}))
		assert.Greater(t, shots, 10, "there was a fight")
		assert.Contains(t, strings.Join(lines, "\n"), "hello everybody")
		assert.Contains(t, hud[1], "Red")
		rng := rand.New(rand.NewPCG(1, 1))
		for range 20 {
			at := time.Duration(rng.Int64N(int64(r.Length())))
			r.Seek(at)
			for steps := 0; r.Position()/engine.TickTime != at/engine.TickTime && steps < 1000; steps++ {
				require.NoError(t, r.Step())
			}
			r.Pause(true)
			check()
			r.Pause(false)
		}
	}
}
