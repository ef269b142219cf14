package picture

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/torc-engine/torc/cmd/internal/tui"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/bots"
)

// A match describes a match and the view of it.
type match struct {
	mod, mission  string
	bots          int
	seed          uint64
	ticks         int
	width, height int // of the view, in characters
	zoom          int // steps to zoom out
}

// standard is the match of the README.
var standard = match{mod: "ctf", mission: "ridge", bots: 10, seed: 5, ticks: 1235, width: 96, height: 28, zoom: 1}

// delay is the one-way delay between the client and the server.
const delay = 20 * time.Millisecond

// unmetered are the highest time limits of scripts. These limits depend on the clock, so the
// defaults could change the match on a busy machine.
var unmetered = []node.Var{
	{Name: "mod.callbackTime", Value: "1s"}, {Name: "mod.loadTime", Value: "1m"}, {Name: "mod.cpuSuspend", Value: "0"}, {Name: "mod.tickTime", Value: "1s"},
}

// play plays the match and draws the client's view of its last tick.
func (m match) play(cells *tui.Frame) error {
	at := netcore.SimAddr(1)
	cfg := node.Config{
		Common: node.Common{Name: "torc", Strict: true, Seed: &m.seed, Vars: append([]node.Var{{Name: "sv.bots", Value: strconv.Itoa(m.bots)}}, unmetered...), Resolve: engine.ResolveTo(at)},
		Server: node.ServerConfig{Load: []string{m.mod}, Mission: m.mission},
	}
	server, err := node.NewServer(cfg)
	if err != nil {
		return err
	}
	defer server.Close()

	var view *tui.View
	reason := "the client is not in the game"
	seed := m.seed + 1
	cfg.Name, cfg.Client.Address, cfg.Server.Load, cfg.Server.Mission, cfg.Vars, cfg.Seed = "Ann", "server:1", nil, "", unmetered, &seed
	cfg.Client.Hud = func(line int, text string) { view.SetHud(line, text) }
	cfg.Output = func(text string) { reason = text; view.Print(text) }
	client, err := node.NewClient(cfg)
	if err != nil {
		return err
	}
	defer client.Close()
	view = tui.New(client.Host, func(string, ...sim.Value) {})
	for range m.zoom {
		view.Handle(tui.InputEvent{Rune: '-'}, 0)
	}

	net, far := netsim.New(m.seed), netcore.SimAddr(2)
	net.Attach(at, server.Host())
	net.Attach(far, client.Host())
	link := netcore.LinkParams{Delay: delay}
	net.Link(far, at, link, link)
	if err := errors.Join(server.Start(), client.Start()); err != nil {
		return err
	}
	mover := bots.NewWander(seed)
	for range m.ticks {
		mover.Tick(client.Host())
		net.Run(net.Now()+engine.TickTime, engine.TickTime)
		view.Draw(cells, m.width, m.height, net.Now(), 0)
	}
	if c := client.Host().Server(); c == nil || c.Control.Object() == nil {
		return fmt.Errorf("nothing to show after %d ticks: %s", m.ticks, reason)
	}
	return nil
}
