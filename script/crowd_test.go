package script_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
)

// peopled returns the files of mods in which bots count as people. Only their join stays that of
// bots.
func peopled(t testing.TB, names ...string) fs.FS {
	list := map[string]string{}
	for _, name := range names {
		require.NoError(t, fs.WalkDir(mods.FS(), name, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, "/test/") {
				return err
			}
			text, err := fs.ReadFile(mods.FS(), path)
			if list[path] = string(text); !strings.Contains(path, "phases") {
				list[path] = strings.NewReplacer(`client.isBot`, `(client.isBot and nil)`, `players "bots"`, `{}`, `players(kind)`, `players()`).Replace(list[path])
			}
			return err
		}))
	}
	return files(list)
}

// A timedTick measures onTick of the mods and of the objects.
type timedTick struct {
	engine.Scripts
	took []time.Duration
}

func (s *timedTick) Tick(n uint64) {
	start := threadTime()
	s.Scripts.Tick(n)
	s.took = append(s.took, threadTime()-start)
}

// A crowd is a match with people who only look at their screens.
type crowd struct {
	*half
	timed *timedTick
	now   netcore.Time
}

func newCrowd(t testing.TB, people int, game string, settings ...string) *crowd {
	h := newHalf(t, 1, true, peopled(t, "base", game))
	h.host.Admission.MaxClients = people
	h.load(game)
	c := &crowd{half: h, timed: &timedTick{Scripts: h.scripts.Hooks()}}
	h.host.SetScripts(c.timed)
	for _, line := range settings {
		require.Empty(t, h.line(line))
	}
	for range people {
		require.Empty(t, h.line(`b = addBot "Bot"`))
	}
	for range 200 {
		c.tick()
	}
	require.Contains(t, h.line(`echo(clientGroup:at(1).phase)`), "game")
	require.Empty(t, h.log)
	return c
}

// instructions returns what the mods have used.
func (c *crowd) instructions() (n int64) {
	for _, m := range c.scripts.Runtime.Mods {
		n += m.Usage.Instructions
	}
	return n
}

func (c *crowd) tick() {
	c.now += engine.TickTime
	c.host.Tick(c.now)
}

// TestTheTicksOfAMatchAreEven checks that what a match of many players needs now and then is spread
// over the ticks: the ranking, the screens of the players and those of the spectators.
func TestTheTicksOfAMatchAreEven(t *testing.T) {
	people := testenv.Length(64, 96)
	t.Run("ctf", func(t *testing.T) {
		checkEvenTicks(t, newCrowd(t, people, "ctf", "ctf.warmup = 0", "ctf.timeLimit = 1440"))
	})
	t.Run("deathmatch", func(t *testing.T) {
		checkEvenTicks(t, newCrowd(t, people, "deathmatch", "dm.timeLimit = 1440"))
	})
}

func checkEvenTicks(t *testing.T, c *crowd) {
	const ticks = 64
	before, most := c.instructions(), int64(0)
	for range ticks {
		last := c.instructions()
		c.tick()
		most = max(most, c.instructions()-last)
	}
	mean := (c.instructions() - before) / ticks
	t.Logf("%d instructions in a tick, at most %d", mean, most)
	assert.Less(t, most, 2*mean)
	assert.Empty(t, c.log)
}

// BenchmarkCrowd measures the scripts of a match.
func BenchmarkCrowd(b *testing.B) {
	for _, people := range []int{128, 512} {
		b.Run(fmt.Sprint(people), func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			c := newCrowd(b, people, "ctf", "ctf.warmup = 0", "ctf.timeLimit = 1440")
			start := time.Now()
			c.half.clock = func() time.Duration { return time.Since(start) }
			c.timed.took = nil
			for b.Loop() {
				c.tick()
			}
			sum, took := time.Duration(0), c.timed.took
			for _, d := range took {
				sum += d
			}
			slices.Sort(took)
			b.ReportMetric(float64(sum.Nanoseconds())/float64(len(took)), "lua-ns/tick")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "lua-p99-ns")
			require.Empty(b, c.log)
		})
	}
}
