package engine_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// TestLargestGhostFits checks that a new ghost of any declarable class fits into a packet, with
// check marks and on a bad link.
func TestLargestGhostFits(t *testing.T) {
	text := make([]byte, 1000)
	for i := range text {
		text[i] = byte(i*37) | 0x80
	}
	for _, check := range []bool{false, true} {
		link := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: .3}
		r := enginetest.New(t, enginetest.Options{Seed: 3, Up: link, Down: link})
		r.Server.Settings.Check = check
		r.Server.Apply()
		spec := sim.ClassSpec{Name: "Full", Source: "x", Fields: []sim.FieldSpec{
			{Name: "text", Kind: sim.KindString, Max: len(text)}, {Name: "more", Kind: sim.KindString, Max: 1},
		}}
		for ; ; spec.Fields[1].Max++ { // up to the largest allowed
			if _, err := sim.NewClasses().Session().Declare(spec); err != nil {
				break
			}
		}
		spec.Fields[1].Max--
		require.Greater(t, spec.Fields[1].Max, 40)
		_, err := r.Server.World().Classes().Declare(spec)
		require.NoError(t, err)
		r.Join()
		o, err := r.Server.World().New("Full", nil)
		require.NoError(t, err)
		set(t, o, "text", sim.String(string(text)))
		set(t, o, "more", sim.String(string(text[:spec.Fields[1].Max])))
		r.Run(3 * time.Second)
		equalGhost(t, r.Peer(0), r.Clients[0].Host.Server(), o)
		require.Zero(t, r.Peer(0).Ghosts().Stats().TooLarge)
	}
}

// TestSmallPackets checks a peer that asks for packets smaller than a ghost. It gets the ghost in
// one packet that counts as several, and no other connection is delayed.
func TestSmallPackets(t *testing.T) {
	for _, check := range []bool{false, true} {
		r := enginetest.New(t, enginetest.Options{})
		c := r.Clients[0]
		r.Server.Settings.Check = check
		r.Server.Apply()
		c.Settings.Rate, c.Settings.Size = 10, netcore.MinSize
		c.Apply()
		_, err := r.Server.World().Classes().Declare(sim.ClassSpec{Name: "Sign", Parent: "Thing", Source: "x", Fields: []sim.FieldSpec{
			{Name: "text", Kind: sim.KindString, Max: 900},
		}})
		require.NoError(t, err)
		var signs []sim.Object
		for i := range 6 {
			o, err := r.Server.World().New("Sign", nil)
			require.NoError(t, err)
			set(t, o, "text", sim.String(strings.Repeat("\xfe\x87", 75*(i+1))))
			r.Server.Rules.SetAlways(o)
			signs = append(signs, o)
		}
		thing := newThing(t, r.Server.Host, "behind them")
		sent := map[time.Duration]int{}
		r.Net.Watch = func(at netcore.Time, from, _ netcore.Addr, d []byte) {
			if from == r.Server.Addr {
				sent[at/time.Second] += len(d)
			}
		}
		r.Join()
		r.Run(5 * time.Second)
		for i, o := range signs {
			set(t, o, "text", sim.String(strings.Repeat("\xfe\x99", 75*(6-i))))
		}
		for i := range 5 {
			set(t, thing, "energy", sim.Number(float64(10*i)))
			r.Run(2 * time.Second)
			equalGhost(t, r.Peer(0), c.Host.Server(), thing)
		}
		for _, o := range signs {
			equalGhost(t, r.Peer(0), c.Host.Server(), o)
		}
		require.Zero(t, r.Peer(0).Ghosts().Stats().TooLarge)
		for at, bytes := range sent {
			require.LessOrEqual(t, bytes, 10*netcore.MinSize+netcore.MaxDatagram+300, "second %v", at)
		}
	}
}

// bulky has a hand-written coder and is too large for any packet.
type bulky struct {
	sim.NetObject
	n int
}

func bulkyClass(c *sim.Classes) {
	fill := func(c *sim.GroupCoder, _ sim.Object) {
		for range 100 {
			x := uint64(1)
			c.Bits(&x, 64)
		}
		c.End("n")
	}
	err := c.Register(sim.Class{
		Name: "Bulky", Parent: "NetObject", New: func() sim.Object { return new(bulky) },
		Fields: []sim.Field{sim.IntField("n", 1, 0, 9, func(b *bulky) *int { return &b.n })},
		Coders: map[uint8]func(*sim.GroupCoder, sim.Object){1: fill, 2: fill},
	})
	if err != nil {
		panic(err)
	}
}

// TestTooLargeObjectIsLoggedOnce checks that an object too large for a packet is logged once, and
// that other objects still arrive.
func TestTooLargeObjectIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	r := enginetest.New(t, enginetest.Options{Classes: bulkyClass, Server: func(c *engine.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	}})
	r.Join()
	for range 3 {
		_, err := r.Server.World().New("Bulky", nil)
		require.NoError(t, err)
	}
	thing := newThing(t, r.Server.Host, "behind them")
	r.Run(time.Second)
	equalGhost(t, r.Peer(0), r.Clients[0].Host.Server(), thing)
	require.Equal(t, 1, r.Clients[0].Host.Server().PeerGhosts.Count())
	require.Equal(t, 1, strings.Count(log.String(), "object too large for a packet"), log.String())
	require.Contains(t, log.String(), "Bulky")
}

// TestBandwidth checks that sv.bandwidth limits what a server sends to all its clients together,
// and that each gets its part.
func TestBandwidth(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	c := console.New(func(string) {})
	require.NoError(t, r.Server.Bind(c))
	_, err := r.Server.World().Classes().Declare(sim.ClassSpec{Name: "Sign", Parent: "Thing", Source: "x", Fields: []sim.FieldSpec{
		{Name: "text", Kind: sim.KindString, Max: 900},
	}})
	require.NoError(t, err)
	r.Join()
	require.Error(t, c.Set("sv.bandwidth", "-1"))
	require.NoError(t, c.Set("sv.bandwidth", "64"))
	for range 200 {
		o, err := r.Server.World().New("Sign", nil)
		require.NoError(t, err)
		set(t, o, "text", sim.String(strings.Repeat("\xfe\x87", 400)))
		r.Server.Rules.SetAlways(o)
	}
	sent, all := map[netcore.Addr]int{}, 0
	r.Net.Watch = func(_ netcore.Time, from, to netcore.Addr, d []byte) {
		if from == r.Server.Addr {
			sent[to] += len(d) + netsim.HeaderBytes
			all += len(d) + netsim.HeaderBytes
		}
	}
	r.Run(5 * time.Second)
	require.InEpsilon(t, 5*64_000/8, all, .06) // with one packet more and the burst of the beginning
	require.InEpsilon(t, sent[r.Clients[0].Addr], sent[r.Clients[1].Addr], .1)
}
