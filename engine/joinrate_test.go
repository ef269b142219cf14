package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// differing declares n blocks without common content: one of 20 KiB, the others of about 100 bytes.
// Deltas between them save nothing.
func differing(t *testing.T, h *engine.Host, n int) {
	t.Helper()
	for i := range n {
		_, _, err := h.World().Blocks.Declare("ToolData", fmt.Sprintf("Tool%d", i), "", func(o sim.Object) error {
			d := o.(*enginetest.ToolData)
			size := 82 // with name and mass about 100 bytes
			if i == n/2 {
				size = 20 << 10
			}
			d.Mass = float64(i)
			d.Text = noise(i, size)
			return nil
		})
		require.NoError(t, err)
	}
}

// noise returns text that no text compression shortens.
func noise(seed, size int) string {
	b := make([]byte, size)
	s := uint64(seed)
	for i := range b {
		s = s*6364136223846793005 + 1442695040888963407
		b[i] = byte(s >> 56)
	}
	return string(b)
}

func TestJoinUsesFullRate(t *testing.T) {
	for _, x := range []struct {
		rate netcore.Rate
		most time.Duration
	}{
		{netcore.Rate{Packets: 31.25, Size: 1200}, 2500 * time.Millisecond},
		{netcore.Rate{Packets: 10, Size: 200}, 51 * time.Second},
	} {
		t.Run(fmt.Sprint(x.rate), func(t *testing.T) {
			link := netcore.LinkParams{Delay: 25 * time.Millisecond}
			r := enginetest.New(t, enginetest.Options{Up: link, Down: link, Server: func(c *engine.Config) {
				c.JoinTimeout = 5 * time.Second
			}})
			c := r.Clients[0]
			c.Quiet = true
			c.Settings.Rate, c.Settings.Size = x.rate.Packets, x.rate.Size
			c.Apply()
			differing(t, r.Server.Host, 500)
			slowest := chatter(r)
			r.Join()
			t.Logf("joined after %v of the line's time, slowest chat line %v", r.Net.Now(), *slowest)
			assert.LessOrEqual(t, r.Net.Now(), x.most)
			assert.LessOrEqual(t, *slowest, 200*time.Millisecond)
			equalBlocks(t, r.Server.Host, c.Host)
		})
	}
}

// chatter has the server send a line of 60 bytes each second. It returns the delay of the slowest
// one.
func chatter(r *enginetest.Rig) *time.Duration {
	slowest := new(time.Duration)
	line := strings.Repeat("chat ", 12)
	var say func()
	say = func() {
		if peers := r.Server.Connections(); len(peers) > 0 && peers[0].Join.Phase() != engine.PhaseGame {
			_ = peers[0].Commands.Send(engine.CommandOptions{Mod: "chat"}, sim.String("Chat"), []sim.Value{
				sim.String(line), sim.Number(float64(r.Net.Now())),
			})
		}
		r.Server.Schedule().At(r.Server.Now(), 1000, sim.Owner{}, say)
	}
	r.Server.Schedule().At(0, 500, sim.Owner{}, say)
	r.Clients[0].Handler = func(_ *engine.Connection, args []sim.Value) {
		if len(args) == 2 {
			*slowest = max(*slowest, r.Net.Now()-time.Duration(args[1].Number()))
		}
	}
	return slowest
}

// TestJoinsThroughHeavyLoss checks that of 24 joins through 50 % packet loss in each direction, at
// least 23 are in the game before a client gives up.
func TestJoinsThroughHeavyLoss(t *testing.T) {
	joins := testenv.Length(24, 48)
	for _, delay := range []time.Duration{0, 50 * time.Millisecond} {
		t.Run(fmt.Sprint(delay), func(t *testing.T) {
			t.Parallel()
			link, played := netcore.LinkParams{Delay: delay, Loss: 0.5}, 0
			for seed := range uint64(joins) {
				r := enginetest.New(t, enginetest.Options{Seed: seed, Up: link, Down: link})
				c := r.Clients[0]
				require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{}))
				for r.Net.Now() < 15*time.Second {
					r.Run(engine.TickTime)
					if s := c.Host.Server(); s != nil && s.Join.Phase() == engine.PhaseGame {
						played++
						break
					}
				}
			}
			assert.GreaterOrEqual(t, 24*played, 23*joins, "%d of %d joined", played, joins)
			t.Logf("%d of %d joined", played, joins)
		})
	}
}
