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

func TestArgumentsArriveWithTheirTypes(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		declare(t, r.Server.Host, 1, 0)
		r.Join()
		tool := r.Server.World().Blocks.ByName("Tool0")
		args := []sim.Value{
			sim.Nil(), sim.Bool(true), sim.Bool(false), sim.Number(7), sim.Number(-3), sim.Number(0.1), sim.Number(1e300),
			sim.String("plain %1\x00\xff"), sim.Tag("a %1 tag"), sim.Vec(sim.Vec3{X: 1, Y: .1, Z: -2}),
			sim.Rotation(sim.Rot{Yaw: 90}), sim.Handle(tool.Ident().ID()), sim.Expanded("was %1 here"),
		}
		var got []sim.Value
		r.Clients[0].Handler = func(_ *engine.Connection, args []sim.Value) { got = append(got, args...) }
		require.NoError(t, r.Peer(0).Commands.Send(engine.CommandOptions{}, sim.String("Show"), args))
		r.Run(time.Second)
		require.Len(t, got, len(args))
		want := append([]sim.Value(nil), args...)
		want[8] = sim.Expanded("a 1 0.1 -2 tag")
		want[11] = sim.Handle(r.Clients[0].World().Blocks.ByName("Tool0").Ident().ID())
		want[12] = sim.String("was %1 here")
		assert.Equal(t, want, got)
	})
}

func TestCallOverLimitFailsAtCaller(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Join()
		c := r.Peer(0)
		call := func(name sim.Value, args ...sim.Value) string {
			err := c.Commands.Send(engine.CommandOptions{}, name, args)
			if err == nil {
				return ""
			}
			return err.Error()
		}
		assert.Contains(t, call(sim.Number(1)), "must be a tag or a string")
		assert.Contains(t, call(sim.String("")), "1 to 1024 bytes")
		assert.Contains(t, call(sim.String("X"), make([]sim.Value, 21)...), "at most 20 arguments, got 21")
		assert.Contains(t, call(sim.String("X"), sim.String(strings.Repeat("x", 40<<10))), "must be at most 32768")
		assert.Contains(t, call(sim.String("X"), sim.Tag(strings.Repeat("x", 2000))), "must be at most 1024")
		big := sim.String(strings.Repeat("x", 30<<10))
		assert.Contains(t, call(sim.String("X"), big, big, big), "at most 64 KiB")
		assert.Empty(t, call(sim.String("X"), big, big))
	})
}

func TestUnknownCommandIsCounted(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Join()
		require.NoError(t, r.Clients[0].Host.Server().Commands.Send(engine.CommandOptions{}, sim.String("Nobody"), nil))
		r.Run(time.Second)
		assert.Equal(t, 1, r.Peer(0).Commands.Stats.UnknownCommands)
	})
}

func TestCommandFloodIsLimited(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Join()
		r.Server.Quiet = true
		for range 1000 {
			require.NoError(t, r.Clients[0].Host.Server().Commands.Send(engine.CommandOptions{}, sim.String("Spam"), nil))
		}
		r.Run(time.Second)
		stats := r.Peer(0).Commands.Stats
		assert.Equal(t, 1000, stats.Commands+stats.RefusedCommands-1, "the join took one")
		assert.LessOrEqual(t, stats.Commands, 128+64+2, "burst and one second of rate")
		r.Run(time.Second)
		require.NoError(t, r.Clients[0].Host.Server().Commands.Send(engine.CommandOptions{}, sim.String("Calm"), nil))
		r.Run(time.Second)
		assert.Equal(t, stats.Commands+1, r.Peer(0).Commands.Stats.Commands, "time gives the rate back")
	})
}

func TestStringIsSentAsTextOnce(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	r.Clients[0].Quiet = true
	text := "a rather long line that a server says again and again " + strings.Repeat("x", 200)
	sent := 0
	r.Net.Watch = func(_ netcore.Time, from, _ netcore.Addr, d []byte) {
		if from == r.Server.Addr {
			sent += len(d)
		}
	}
	for range 1000 {
		require.NoError(t, r.Peer(0).Commands.Send(engine.CommandOptions{}, sim.String("Say"), []sim.Value{sim.Tag(text)}))
	}
	seen := 0
	r.Clients[0].Handler = func(_ *engine.Connection, args []sim.Value) {
		assert.Equal(t, text, args[0].Text())
		seen++
	}
	r.Until(5*time.Second, func() bool { return seen == 1000 })
	assert.Less(t, sent, 1000*8+len(text)+2000, "an integer each, and the text once")
}

func TestTwoHostsServeEachOther(t *testing.T) {
	mutual := func(c *engine.Config) { c.Server, c.Mutual = true, true }
	r := enginetest.New(t, enginetest.Options{Server: mutual})
	other := r.Player(7, 3, true, mutual)
	r.Net.Link(other.Addr, r.Server.Addr, netcore.LinkParams{Loss: .1}, netcore.LinkParams{Loss: .1})
	declare(t, r.Server.Host, 3, 0)
	declare(t, other.Host, 5, 0)
	require.NoError(t, other.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(2 * time.Second)
	mine, theirs := r.Peer(0), other.Host.Server()
	require.NotNil(t, theirs)
	theirs.Blocks.Transmit(5)
	r.Run(2 * time.Second)
	assert.Equal(t, 5, r.Server.Blocks, "the one that was called has the caller's blocks")
	assert.Equal(t, 3, other.Blocks, "and the caller has its")
	require.NoError(t, mine.Commands.Send(engine.CommandOptions{}, sim.String("There"), []sim.Value{sim.Number(1)}))
	require.NoError(t, theirs.Commands.Send(engine.CommandOptions{}, sim.String("Back"), []sim.Value{sim.Number(2)}))
	r.Run(time.Second)
	assert.Contains(t, other.Lines, "There(number 1)")
	assert.Contains(t, r.Server.Lines, "Back(number 2)")
	assert.Equal(t, 5, other.World().Blocks.Len(), "each keeps its own apart")
}

func TestServerConnectsToServer(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	upstream := r.Player(8, 5, true, nil)
	r.Net.Link(r.Server.Addr, upstream.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(t, r.Server.Dialer.Connect("host 8", engine.ConnectArgs{}))
	r.Run(2 * time.Second)
	require.Len(t, r.Server.Connections(), 2)
	assert.NotNil(t, r.Server.Host.Server())
	assert.Equal(t, engine.PhaseGame, r.Server.Host.Server().Join.Phase())
}

// TestJoinsOverBadLinks checks joins over bad links: every datablock arrives, commands arrive once
// and in order, and a seed gives the same trace twice.
func TestJoinsOverBadLinks(t *testing.T) {
	for seed := range testenv.Seeds(t, 6, 30) {
		var hashes [2]uint64
		for run := range hashes {
			link := netcore.LinkParams{
				Loss: float64(seed%6) * .1, Duplicate: .05, Reorder: .05,
				Delay: time.Duration(seed%4) * 30 * time.Millisecond, Jitter: time.Duration(seed%3) * 20 * time.Millisecond,
			}
			r := enginetest.New(t, enginetest.Options{Seed: seed, Clients: 2, Up: link, Down: link,
				Server: func(c *engine.Config) { c.JoinTimeout = time.Minute }})
			declare(t, r.Server.Host, 40, 4096)
			r.Join()
			next := make([]int, len(r.Clients))
			for i, c := range r.Clients {
				equalBlocks(t, r.Server.Host, c.Host)
				c.Quiet = true
				c.Handler = func(_ *engine.Connection, args []sim.Value) {
					require.Equal(t, fmt.Sprint(next[i]), args[0].String(), "seed %d", seed)
					next[i]++
				}
			}
			for n := range 100 {
				for i := range r.Clients {
					require.NoError(t, r.Peer(i).Commands.Send(engine.CommandOptions{}, sim.String("Count"), []sim.Value{sim.Number(float64(n))}))
				}
			}
			r.Until(time.Minute, func() bool { return next[0] == 100 && next[1] == 100 })
			hashes[run] = r.Net.Hash()
		}
		require.Equal(t, hashes[0], hashes[1], "seed %d", seed)
	}
}

// TestInboundConnectionDuringConnect checks that an inbound connection does not disturb a pending
// connect.
func TestInboundConnectionDuringConnect(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	upstream := r.Player(8, 5, true, nil)
	r.Net.Link(r.Server.Addr, upstream.Addr, netcore.LinkParams{Delay: time.Second}, netcore.LinkParams{Delay: time.Second})
	require.NoError(t, r.Server.Dialer.Connect("host 8", engine.ConnectArgs{}))
	r.Join()
	upstream.Refuse = "closed today"
	r.Run(6 * time.Second)
	assert.Contains(t, r.Server.Lines, "host 8: closed today")
}

// TestCommandsToLeavingClientsAreDropped checks several clients that leave in one tick. Handlers
// can still send commands to the others.
func TestCommandsToLeavingClientsAreDropped(t *testing.T) {
	var r *enginetest.Rig
	told := 0
	r = enginetest.New(t, enginetest.Options{Clients: 4, Server: func(cfg *engine.Config) {
		cfg.Ended = func(gone *engine.Connection, _ string) {
			for _, c := range r.Server.Connections() {
				assert.NoError(t, c.Commands.Send(engine.CommandOptions{}, sim.String("Gone"), nil))
				told++
			}
			assert.ErrorContains(t, gone.Commands.Send(engine.CommandOptions{}, sim.String("Gone"), nil), "has ended")
		}
	}})
	r.Join()
	for _, c := range r.Clients {
		c.Shutdown("")
	}
	r.Run(time.Second)
	assert.Empty(t, r.Server.Connections())
	assert.Equal(t, 3+2+1, told)
}

// TestSharedCommandIsOneForAll sends one command to clients, whose packets several goroutines
// write, with the command of one client before and after it.
func TestSharedCommandIsOneForAll(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Seed: 1, Clients: 5, Server: func(c *engine.Config) { c.Parallel = atOnce }})
	r.Join()
	got := make([][]string, len(r.Clients))
	for i, p := range r.Clients {
		p.Handler = func(_ *engine.Connection, args []sim.Value) { got[i] = append(got[i], fmt.Sprint(args)) }
	}
	vec := sim.Vec(sim.Vec3{X: 1, Y: .1, Z: -2})
	args := []sim.Value{sim.Nil(), sim.Bool(true), sim.Number(7), sim.Number(.1), sim.String("text"), sim.Tag("tag"), vec, sim.Rotation(sim.Rot{Yaw: 90})}
	shared, err := r.Server.Share(engine.CommandOptions{Mod: "m"}, sim.String("Show"), args)
	require.NoError(t, err)
	require.NotNil(t, shared)
	var want []string
	for i, c := range r.Server.Connections() {
		require.NoError(t, c.Commands.Send(engine.CommandOptions{Mod: "m"}, sim.String("Show"), []sim.Value{sim.Number(float64(i))}))
		assert.True(t, c.Commands.SendShared(shared))
		require.NoError(t, c.Commands.Send(engine.CommandOptions{Mod: "m"}, sim.String("Show"), nil))
	}
	args[5] = sim.Expanded("tag")
	want = []string{"", fmt.Sprint(args), "[]"}
	r.Run(time.Second)
	for i := range got {
		want[0] = fmt.Sprintf("[%v]", sim.Number(float64(i)))
		assert.Equal(t, want, got[i])
	}
}

// TestWhatIsNotShared checks when each client needs a command of its own, and that a command over a
// limit fails for all.
func TestWhatIsNotShared(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	r.Join()
	o := newThing(t, r.Server.Host, "thing")
	for name, row := range map[string]struct {
		args   []sim.Value
		shared bool
		err    string
	}{
		"numbers":       {[]sim.Value{sim.Number(1), sim.Nil()}, true, ""},
		"an object":     {[]sim.Value{sim.Number(1), sim.Handle(o.Ident().ID())}, false, ""},
		"a client":      {[]sim.Value{sim.Client(1, "Ann")}, false, ""},
		"a large one":   {[]sim.Value{sim.String(strings.Repeat("x", 500))}, false, ""},
		"over a limit":  {[]sim.Value{sim.Tag(strings.Repeat("x", 2000))}, false, "command argument 1 is a tag of 2000 bytes: must be at most 1024"},
		"too many args": {make([]sim.Value, 21), false, "a command takes at most 20 arguments, got 21"},
	} {
		shared, err := r.Server.Share(engine.CommandOptions{}, sim.String("Show"), row.args)
		assert.Equal(t, row.shared, shared != nil, name)
		if row.err != "" {
			assert.EqualError(t, err, row.err, name)
		}
	}
	shared, err := r.Server.Share(engine.CommandOptions{}, sim.String("Show"), nil)
	require.NoError(t, err)
	c := r.Peer(0)
	change := r.Server.World().Begin()
	assert.False(t, c.Commands.SendShared(shared), "it waits for the end of the change")
	change.Rollback()
	c.Disconnect("enough")
	assert.False(t, c.Commands.SendShared(shared))
}
