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
	"github.com/torc-engine/torc/netcore"
)

// declare declares n tools. Every tool but the first inherits from the first, and one has a text of
// size bytes.
func declare(t testing.TB, h *engine.Host, n, size int) {
	t.Helper()
	for i := range n {
		parent := ""
		if i > 0 {
			parent = "Tool0"
		}
		_, _, err := h.World().Blocks.Declare("ToolData", fmt.Sprintf("Tool%d", i), parent, func(o sim.Object) error {
			d := o.(*enginetest.ToolData)
			d.Mass = float64(i)
			if i == n/2 {
				d.Text = strings.Repeat("0123456789abcdef", size/16)
			}
			return nil
		})
		require.NoError(t, err)
	}
}

// equalBlocks requires that both hosts have the same datablocks with equal fields.
func equalBlocks(t testing.TB, server, client *engine.Host) {
	t.Helper()
	require.Equal(t, server.World().Blocks.Len(), client.World().Blocks.Len())
	for _, o := range server.World().Blocks.Newer(0) {
		other := client.World().Blocks.ByName(o.Ident().Name())
		require.NotNil(t, other, o.Ident().Name())
		a, b := o.(*enginetest.ToolData), other.(*enginetest.ToolData)
		require.Equal(t, a.Index(), b.Index())
		require.Equal(t, a.Mass, b.Mass)
		require.Equal(t, a.Text, b.Text)
	}
}

// stories runs a story over the simulated network and over the short circuit. Both must give the
// same story.
func stories(t *testing.T, tell func(t *testing.T, o enginetest.Options)) {
	t.Run("network", func(t *testing.T) { tell(t, enginetest.Options{}) })
	t.Run("short circuit", func(t *testing.T) { tell(t, enginetest.Options{Circuit: true}) })
}

func TestJoinEvents(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		declare(t, r.Server.Host, 2, 0)
		r.Join()
		assert.Equal(t, []string{
			`request from player 2 []`,
			`connected player 2 []`,
			`datablocks done 1`,
			`always-ghosts done`,
			`plays: player 2`,
		}, r.Server.Lines)
		assert.Equal(t, []string{
			`accepted by player 1`,
			`datablock 1 of 2`,
			`datablock 2 of 2`,
			`in the game`,
		}, r.Clients[0].Lines)
		equalBlocks(t, r.Server.Host, r.Clients[0].Host)
	})
}

func TestJoinBringsEveryBlock(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2, Down: netcore.LinkParams{Delay: 40 * time.Millisecond, Loss: .05}})
	declare(t, r.Server.Host, 500, 20<<10)
	r.Join()
	for _, c := range r.Clients {
		equalBlocks(t, r.Server.Host, c.Host)
		assert.Equal(t, 500, c.Blocks, "each block crosses once")
	}
}

func TestOnlyWhatChangedCrosses(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	declare(t, r.Server.Host, 50, 0)
	r.Join()
	tool := r.Server.World().Blocks.ByName("Tool7")
	mass := tool.Ident().Class().Lookup("mass")
	for i := range 5 {
		require.NoError(t, mass.Set(tool, sim.Number(100+float64(i))))
	}
	before := r.Clients[0].Blocks
	r.Peer(0).Blocks.Transmit(2)
	r.Until(time.Second, func() bool { return strings.Contains(strings.Join(r.Server.Lines, " "), "datablocks done 2") })
	assert.Equal(t, before+1, r.Clients[0].Blocks, "five changes of one block are one block")
	equalBlocks(t, r.Server.Host, r.Clients[0].Host)

	require.NoError(t, mass.Set(r.Server.World().Blocks.ByName("Tool9"), sim.Number(9000)))
	for i, want := range []int{before + 2, before + 2} {
		r.Peer(i).Blocks.Transmit(uint32(3 + i))
		r.Run(time.Second)
		assert.Equal(t, want, r.Clients[i].Blocks, "client %d gets exactly what it lacks", i)
		equalBlocks(t, r.Server.Host, r.Clients[i].Host)
	}
}

func TestMapChangeSendsOnlyChangedBlocks(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	declare(t, r.Server.Host, 100, 0)
	r.Join()
	_, _, err := r.Server.World().Blocks.Declare("ToolData", "Tool3", "", func(o sim.Object) error {
		o.(*enginetest.ToolData).Mass = 77
		return nil
	})
	require.NoError(t, err)
	for i := range r.Clients {
		r.Clients[i].Blocks = 0
		r.Peer(i).Ghosting.Reset()
		r.Server.Lead(r.Peer(i), 2)
	}
	r.Until(5*time.Second, func() bool {
		return r.Peer(0).Join.Phase() == engine.PhaseGame && r.Peer(1).Join.Phase() == engine.PhaseGame
	})
	for _, c := range r.Clients {
		assert.Equal(t, 1, c.Blocks)
		equalBlocks(t, r.Server.Host, c.Host)
	}
}

func TestJoinIsRefusedWithAReason(t *testing.T) {
	for name, x := range map[string]struct {
		server func(*engine.Config)
		refuse string
		want   string
	}{
		"password":  {func(c *engine.Config) { c.Password = "secret" }, "", "this server needs a password: --password"},
		"by script": {nil, "banned: no manners", "banned: no manners"},
	} {
		t.Run(name, func(t *testing.T) {
			stories(t, func(t *testing.T, o enginetest.Options) {
				o.Server = x.server
				r := enginetest.New(t, o)
				r.Server.Refuse = x.refuse
				require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
				r.Run(3 * time.Second)
				assert.Equal(t, []string{"host 1: " + x.want}, r.Clients[0].Lines)
				assert.Empty(t, r.Server.Connections())
			})
		})
	}
}

func TestServerIsFull(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Server: func(c *engine.Config) { c.MaxClients = 1 }})
	r.Join()
	late := r.Player(9, 1, false, nil)
	r.Net.Link(late.Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(t, late.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(3 * time.Second)
	assert.Equal(t, []string{"host 1: server is full (1)"}, late.Lines)
}

func TestStalledJoinIsEnded(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Server.Stall = true
		require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
		r.Run(10 * time.Second)
		last := r.Clients[0].Lines[len(r.Clients[0].Lines)-1]
		assert.Contains(t, last, "the join made no progress for 5s in phase joining")
	})
}

// TestSilentClientsLoseTheirSeat checks that a client that introduces itself and falls silent holds
// a seat for 10 s at most: with its first packet, after some packets, and if it never got a packet.
func TestSilentClientsLoseTheirSeat(t *testing.T) {
	for sends := range 4 {
		for _, deaf := range []bool{false, true} {
			r := enginetest.New(t, enginetest.Options{Server: func(c *engine.Config) { c.MaxClients = 1 }})
			r.Server.Stall = true
			c := r.Clients[0]
			sent, answers, last, up, down := 0, 0, netcore.Time(0), netcore.LinkParams{}, netcore.LinkParams{}
			r.Net.Watch = func(now netcore.Time, from, _ netcore.Addr, b []byte) {
				switch {
				case from == r.Server.Addr:
					if answers++; deaf && answers > 3 { // the challenge, the key exchange, the accept
						down.Loss = 1
					}
				case b[0] != 0xC0: // of the handshake
					last = now
				case sent == sends:
					up.Loss = 1
				default:
					sent, last = sent+1, now
				}
				r.Net.Link(c.Addr, r.Server.Addr, up, down)
			}
			require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{}))
			r.Run(time.Second)
			for len(r.Server.Connections()) > 0 && r.Net.Now() < time.Minute {
				r.Run(100 * time.Millisecond)
			}
			held := r.Net.Now() - last
			assert.Less(t, held, 10500*time.Millisecond, "%d packets, deaf %v", sends, deaf)
			assert.Contains(t, r.Server.Lines[len(r.Server.Lines)-1], "the join made no progress for")
		}
	}
}

// TestReplacedConnectionsFreeTheirSeat checks that a player who comes back takes no second seat,
// also not from a player who joins in the same tick.
func TestReplacedConnectionsFreeTheirSeat(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Server: func(c *engine.Config) { c.MaxClients = 2 }})
	r.Join()
	again := r.Player(9, 0, false, func(c *engine.Config) { c.Identity = r.Clients[0].Identity() })
	other := r.Player(10, 0, false, nil)
	for _, c := range []*enginetest.Player{again, other} {
		r.Link(c)
		require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{}))
	}
	r.Run(3 * time.Second)
	require.NotNil(t, again.Host.Server(), "%v", again.Lines)
	require.NotNil(t, other.Host.Server(), "%v", other.Lines)
	assert.Len(t, r.Server.Connections(), 2)
}

func TestLeavingTellsBothSides(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		declare(t, r.Server.Host, 3, 0)
		r.Join()
		c := r.Peer(0)
		held, err := r.Server.World().New("ScriptObject", nil)
		require.NoError(t, err)
		require.NoError(t, c.Add(held))
		require.NoError(t, r.Clients[0].Dialer.Disconnect("supper"))
		r.Run(time.Second)
		assert.Equal(t, "dropped player 2: supper", r.Server.Lines[len(r.Server.Lines)-1])
		assert.True(t, held.Ident().Dead(), "what a connection holds goes when it goes")
		assert.Empty(t, r.Server.Connections())
		assert.Zero(t, r.Clients[0].World().Blocks.Len(), "a client forgets its server's blocks")
	})
}

func TestSilenceEndsAConnection(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	r.Net.Blackout(r.Net.Now(), r.Net.Now()+time.Hour)
	r.Run(50 * time.Second)
	assert.Contains(t, r.Clients[0].Lines[len(r.Clients[0].Lines)-1], "timed out")
	assert.Contains(t, r.Server.Lines[len(r.Server.Lines)-1], "timed out")
}

// TestLostAcceptsDoNotEndJoin checks that the server keeps answering a repeated introduction,
// whatever the number of lost accepts.
func TestLostAcceptsDoNotEndJoin(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	c := r.Clients[0]
	answers := 0
	r.Net.Watch = func(_ netcore.Time, from, _ netcore.Addr, _ []byte) {
		if from != r.Server.Addr {
			return
		}
		if answers++; answers == 3 { // the challenge, the key exchange, the accept
			r.Net.Link(c.Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{Loss: 1})
		}
	}
	require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}))
	r.Run(18 * time.Second)
	require.Equal(t, []string{"request from player 2 []", "connected player 2 []"}, r.Server.Lines[:2])
	r.Net.Link(c.Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	r.Run(10 * time.Second)
	require.NotNil(t, c.Host.Server(), "%v %v", c.Lines, r.Server.Lines)
	assert.Equal(t, engine.PhaseGame, c.Host.Server().Join.Phase())
	assert.Equal(t, 1, strings.Count(strings.Join(r.Server.Lines, "\n"), "request from"), "it keeps its seat")
}

// TestPlayersComeBack: a player whose program has crashed comes back at once, also to a full
// server. The old connection is told. Without the key nobody gets in.
func TestPlayersComeBack(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2, Server: func(c *engine.Config) { c.MaxClients = 2 }})
	r.Join()
	crashed := r.Clients[0]
	again := r.Player(9, 0, false, func(c *engine.Config) { c.Identity = crashed.Identity() })
	r.Link(again)
	require.NoError(t, again.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(3 * time.Second)

	require.NotNil(t, again.Host.Server(), "%v", again.Lines)
	assert.Equal(t, engine.PhaseGame, again.Host.Server().Join.Phase())
	assert.Len(t, r.Server.Connections(), 2)
	said := strings.Join(r.Server.Lines, "\n")
	assert.Less(t, strings.Index(said, "dropped player 2"), strings.LastIndex(said, "connected player"), "the old one leaves first:\n%s", said)
	assert.Contains(t, crashed.Lines[len(crashed.Lines)-1], "replaced by another connection with your key")
	r.Run(time.Minute)
	assert.Nil(t, crashed.Host.Server(), "it does not come back by itself")

	stranger := r.Player(10, 0, false, nil)
	r.Link(stranger)
	r.Run(time.Second)
	require.NoError(t, stranger.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(3 * time.Second)
	assert.Contains(t, strings.Join(stranger.Lines, "\n"), "server is full (2)")
	assert.Len(t, r.Server.Connections(), 2)
}

// TestRefusedPlayersReplaceNobody: the new connection replaces the old one when the server has
// accepted it, not before.
func TestRefusedPlayersReplaceNobody(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	r.Server.Refuse = "not now"
	again := r.Player(9, 0, false, func(c *engine.Config) { c.Identity = r.Clients[0].Identity() })
	r.Link(again)
	require.NoError(t, again.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(3 * time.Second)
	assert.Contains(t, strings.Join(again.Lines, "\n"), "not now")
	assert.NotNil(t, r.Clients[0].Host.Server())
}
