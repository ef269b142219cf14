package engine_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// transferRig has two servers, and clients of the first one. Each client has a second side for the
// second server.
type transferRig struct {
	*enginetest.Rig
	other  *enginetest.Player // the second server, at address 50
	orders []orderedClient
	ends   []string // of the transfers: "true" or "false: reason"
}

// orderedClient is a client with an order.
type orderedClient struct {
	c *engine.Connection
	o engine.TransferOrder
}

// transferDay is the time of day at the beginning of a test.
var transferDay = time.UnixMilli(1_700_000_000_000)

func newTransferRig(t *testing.T, o enginetest.Options) *transferRig {
	r := &transferRig{}
	clock := func() time.Time { return transferDay.Add(r.Net.Now()) }
	sealing := func(cfg *engine.Config) {
		id, entropy := cfg.Identity, rand.NewChaCha8([32]byte{1})
		cfg.SealTicket = func(to, client seal.Key, data []byte) ([]byte, error) {
			return id.SealTicket(entropy, to, client, clock(), data)
		}
	}
	o.Server = sealing
	more := o.Both
	o.Both = func(cfg *engine.Config) {
		if more != nil {
			more(cfg)
		}
		cfg.Transfer = func(c *engine.Connection, o engine.TransferOrder) { r.orders = append(r.orders, orderedClient{c, o}) }
	}
	r.Rig = enginetest.New(t, o)
	table := seal.NewTicketTable(transferDay.Add(-time.Hour))
	r.other = r.Player(50, 1, true, func(cfg *engine.Config) {
		id := cfg.Identity
		cfg.Password = "secret"
		cfg.OpenTicket = func(ticket []byte, client seal.Key) (engine.Arrival, error) {
			is, err := id.OpenTicket(ticket, client)
			if err == nil {
				err = table.Use(is, clock())
			}
			return engine.Arrival{From: "hub", Data: is.Data}, err
		}
	})
	return r
}

// second returns a second side of client i, at an address.
func (r *transferRig) second(i int, at uint16) *enginetest.Player {
	p := r.Player(at, 1, false, func(cfg *engine.Config) { cfg.Identity = r.Clients[i].Identity() })
	r.Net.Link(p.Addr, r.other.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	return p
}

// order returns the order to go to the second server.
func (r *transferRig) order() engine.TransferOrder {
	return engine.TransferOrder{Address: "host 50", Key: r.other.Identity().Public, Name: "arena-2"}
}

// transfer orders client i to the second server.
func (r *transferRig) transfer(i int, data string) error {
	return r.Peer(i).Transfer(r.order(), []byte(data), "m", func(ok bool, reason string) {
		if ok {
			r.ends = append(r.ends, "true")
		} else {
			r.ends = append(r.ends, "false: "+reason)
		}
	})
}

// TestTransfer sends a player to another server with a password. It plays on at the first one until
// it is there. Until then nothing harms its object at the second one, and its moves do nothing
// there.
func TestTransfer(t *testing.T) {
	r := newTransferRig(t, enginetest.Options{})
	r.Join()
	require.NoError(t, r.transfer(0, "flag"))
	r.Run(time.Second)
	require.Len(t, r.orders, 1)
	first, o := r.orders[0].c, r.orders[0].o
	assert.Equal(t, "arena-2", o.Name)
	assert.Equal(t, r.other.Identity().Public, o.Key)

	p := r.second(0, 60)
	require.NoError(t, p.Dialer.Connect(o.Address+"#"+o.Key.String(), engine.ConnectArgs{Ticket: o.Ticket}))
	r.Until(10*time.Second, func() bool { return p.Host.Server() != nil && p.Host.Server().Join.Phase() == engine.PhaseGame })
	there := r.other.Connections()[0]
	assert.Equal(t, engine.Arrival{From: "hub", Data: []byte("flag")}, *there.Arrival())
	moves, done := 0, 0
	body := &enginetest.Runner{Done: func(m sim.Move) {
		if done++; m.Y != 0 {
			moves++
		}
	}}
	p.SetMoves(func(*engine.Connection) sim.Move { return sim.Move{Y: 1} })
	r.other.World().Add(body)
	require.NoError(t, there.Control.Set(body))
	r.Run(time.Second)
	assert.True(t, there.Arriving())
	assert.True(t, r.other.World().Spares(body))
	assert.Empty(t, r.ends, "the player still plays here")
	assert.NotZero(t, done)
	assert.Zero(t, moves, "its moves do nothing there")
	assert.NotContains(t, r.other.Lines, "arrived player 60 from hub")

	first.AnswerTransfer("")
	p.Host.Server().Arrive()
	r.Run(time.Second)
	assert.Equal(t, []string{"true"}, r.ends)
	assert.Contains(t, r.Server.Lines, "dropped player 2: transferred to arena-2")
	assert.Contains(t, r.Clients[0].Lines, "ended: transferred to arena-2 (timed out false)")
	assert.Contains(t, r.other.Lines, "arrived player 60 from hub")
	assert.False(t, r.other.World().Spares(body))
	assert.NotZero(t, moves, "it moves now")

	late := r.second(0, 61)
	require.NoError(t, late.Dialer.Connect("host 50", engine.ConnectArgs{Ticket: o.Ticket}))
	r.Run(time.Second)
	assert.Contains(t, late.Lines, "host 50: the ticket was used before")
}

// TestTransferRefusals checks who cannot be transferred.
func TestTransferRefusals(t *testing.T) {
	r := newTransferRig(t, enginetest.Options{})
	r.Join()
	bot, err := r.Server.AddBot("bot")
	require.NoError(t, err)
	refused := func(c *engine.Connection, o engine.TransferOrder, data string) string {
		err := c.Transfer(o, []byte(data), "m", nil)
		require.Error(t, err)
		return err.Error()
	}
	o := r.order()
	assert.Contains(t, refused(bot, o, ""), "a bot cannot be transferred")
	assert.Contains(t, refused(r.Peer(0), o, string(make([]byte, seal.MaxTicketData+1))), "at most 2048 bytes of data, got 2049")
	assert.Contains(t, refused(r.Clients[0].Host.Server(), o, ""), "only a server")
	here := o
	here.Key = r.Server.Identity().Public
	assert.Contains(t, refused(r.Peer(0), here, ""), "is at that server already")
	require.NoError(t, r.transfer(0, ""))
	assert.Contains(t, refused(r.Peer(0), o, ""), "being transferred already")
	r.Run(time.Second)
	r.orders[0].c.AnswerTransfer("no, thanks")
	r.Run(time.Second)
	assert.Equal(t, []string{"false: no, thanks"}, r.ends)
}

// TestTransfersInOneChange: of two orders in one change of the world the first counts, and one for
// a player who leaves meanwhile does not. Each mod is told once, and nobody if the change is
// undone.
func TestTransfersInOneChange(t *testing.T) {
	r := newTransferRig(t, enginetest.Options{Clients: 2})
	r.Join()
	undone := r.Server.World().Begin()
	require.NoError(t, r.transfer(0, ""))
	undone.Rollback()
	c := r.Server.World().Begin()
	require.NoError(t, r.transfer(0, ""))
	require.NoError(t, r.transfer(0, ""))
	require.NoError(t, r.transfer(1, ""))
	r.Peer(1).Net().Close(netcore.Reason{Code: netcore.Closed})
	c.Commit()
	assert.Empty(t, r.ends, "they are told in a tick")
	r.Run(time.Second)
	assert.Len(t, r.orders, 1)
	assert.ElementsMatch(t, []string{"false: the player is being transferred already", "false: the player has left, or has not joined yet"}, r.ends)
}

// TestTransferOfSilentClient checks the times of a server: 25 s for a client that says nothing, a
// minute more for one that was accepted, and what a client says later changes nothing.
func TestTransferOfSilentClient(t *testing.T) {
	r := newTransferRig(t, enginetest.Options{})
	r.Join()
	require.NoError(t, r.transfer(0, ""))
	r.Run(24 * time.Second)
	assert.Empty(t, r.ends)
	r.Run(2 * time.Second)
	assert.Equal(t, []string{"false: the client did not answer in time: try again"}, r.ends)

	r.orders[0].c.AcceptTransfer() // of the order that is over
	r.orders[0].c.AnswerTransfer("late")
	require.NoError(t, r.transfer(0, ""))
	r.Run(time.Second)
	require.Len(t, r.orders, 2)
	r.orders[1].c.AcceptTransfer()
	r.Run(30 * time.Second)
	assert.Len(t, r.ends, 1)
	r.Run(31 * time.Second)
	assert.Equal(t, "false: arena-2 took too long to let the player in: try again", r.ends[1])
}

// TestOneOrderAtATime checks that a client refuses an order while it follows another one.
func TestOneOrderAtATime(t *testing.T) {
	r := newTransferRig(t, enginetest.Options{})
	r.Join()
	require.NoError(t, r.transfer(0, ""))
	r.Run(26 * time.Second)
	require.Len(t, r.ends, 1, "the server has given it up")
	require.NoError(t, r.transfer(0, ""))
	r.Run(time.Second)
	assert.Equal(t, "false: the client follows another order already", r.ends[1])
	assert.Len(t, r.orders, 1)
}

// TestLyingClient checks that a client that leaves as if it was transferred only leaves, also if it
// has refused an order, and that one that says without a ticket that it has arrived changes
// nothing.
func TestLyingClient(t *testing.T) {
	r := newTransferRig(t, enginetest.Options{Clients: 4})
	r.Join()
	r.Clients[0].Host.Server().Arrive()
	r.Clients[0].Host.Server().AcceptTransfer()
	r.Clients[0].Host.Server().Net().Close(netcore.Reason{Code: netcore.Transferred, Text: "transferred to heaven"})
	require.NoError(t, r.transfer(1, ""))
	r.Run(time.Second)
	r.Clients[1].Host.Server().Net().Close(netcore.Reason{Code: netcore.Transferred, Text: "transferred to heaven"})
	r.Run(time.Second)
	require.NoError(t, r.transfer(0, "")) // of the first one that is left
	r.Run(time.Second)
	r.orders[1].c.AnswerTransfer("I stay")
	r.Run(time.Second)
	r.Clients[2].Host.Server().Net().Close(netcore.Reason{Code: netcore.Transferred})
	r.Clients[3].Host.Server().Net().Close(netcore.Reason{Code: netcore.Closed, Text: "transferred to heaven"})
	r.Run(time.Second)
	assert.Contains(t, r.Server.Lines, "dropped player 2: "+netcore.Reason{Code: netcore.Closed}.String())
	assert.Contains(t, r.Server.Lines, "dropped player 3: transferred to arena-2", "the name is that of the order")
	assert.Contains(t, r.Server.Lines, "dropped player 4: "+netcore.Reason{Code: netcore.Closed}.String())
	assert.Contains(t, r.Server.Lines, "dropped player 5: "+netcore.Reason{Code: netcore.Closed}.String())
	assert.Equal(t, []string{"true", "false: I stay"}, r.ends)
	for _, line := range r.Server.Lines {
		assert.NotContains(t, line, "arrived")
	}
}

// TestSafeForAWhile checks that a player who never leaves the first server can be harmed 20 s after
// it is in the game of the second one.
func TestSafeForAWhile(t *testing.T) {
	r := newTransferRig(t, enginetest.Options{})
	r.Join()
	require.NoError(t, r.transfer(0, ""))
	r.Run(time.Second)
	o, p := r.orders[0].o, r.second(0, 60)
	require.NoError(t, p.Dialer.Connect(o.Address, engine.ConnectArgs{Ticket: o.Ticket}))
	r.Until(10*time.Second, func() bool {
		return len(r.other.Connections()) > 0 && r.other.Connections()[0].Join.Phase() == engine.PhaseGame
	})
	there := r.other.Connections()[0]
	r.Run(19 * time.Second)
	assert.True(t, there.Arriving())
	r.Run(2 * time.Second)
	assert.False(t, there.Arriving())
	assert.Contains(t, r.other.Lines, "arrived player 60 from hub")
}

// TestTicketStandsForThePasswordAlone checks what refuses a player with a ticket.
func TestTicketStandsForThePasswordAlone(t *testing.T) {
	for want, change := range map[string]func(r *transferRig){
		"the server accepts no new players":               func(r *transferRig) { r.other.Admission.Accepting = false },
		"this server takes no players from other servers": func(r *transferRig) { r.other.Admission.Transfers = false },
		"server is full (1)":                              func(r *transferRig) { r.other.Admission.MaxClients = 1; _, _ = r.other.AddBot("bot") },
		"not you":                                         func(r *transferRig) { r.other.Story.Refuse = "not you" },
		"the ticket is damaged, or it is for another player or another server": func(r *transferRig) { r.orders[0].o.Ticket[90] ^= 1 },
	} {
		r := newTransferRig(t, enginetest.Options{})
		r.Join()
		require.NoError(t, r.transfer(0, ""))
		r.Run(time.Second)
		change(r)
		o, p := r.orders[0].o, r.second(0, 60)
		require.NoError(t, p.Dialer.Connect(o.Address, engine.ConnectArgs{Ticket: o.Ticket}))
		r.Run(time.Second)
		assert.Contains(t, p.Lines, "host 50: "+want)
		assert.Equal(t, engine.PhaseGame, r.Peer(0).Join.Phase(), "the player stays")
	}
}

// TestTransferOfWatchersAndLocals: a spectator watches this game, and the client of torc play ends
// with its server. Neither goes anywhere, and both get a sentence. Nothing reaches the client.
func TestTransferOfWatchersAndLocals(t *testing.T) {
	r := newTransferRig(t, enginetest.Options{})
	r.Server.Settings.MaxWatchers = 4
	r.Join()
	watcher := r.Player(10, 0, false, nil)
	r.Link(watcher)
	require.NoError(t, watcher.Dialer.Connect("host 1", engine.ConnectArgs{Watch: true}))
	r.Run(time.Second)
	conns := r.Server.Connections()
	require.Len(t, conns, 2)
	err := conns[1].Transfer(r.order(), nil, "m", nil)
	assert.EqualError(t, err, "a spectator cannot be transferred")

	local := newTransferRig(t, enginetest.Options{Circuit: true})
	local.Join()
	err = local.transfer(0, "")
	assert.EqualError(t, err, "the player of this program's own client cannot be transferred: the server ends with it")
	for _, of := range []*transferRig{r, local} {
		of.Run(time.Second)
		assert.Empty(t, of.orders)
		assert.Empty(t, of.ends)
	}
	assert.Equal(t, engine.PhaseGame, local.Peer(0).Join.Phase(), "it plays on")
}
