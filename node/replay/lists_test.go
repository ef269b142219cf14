package replay_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// lantern is a class that only the server has.
type lantern struct {
	game.Marker
	power int
}

func registerLantern(fields ...sim.Field) func(*sim.Classes) error {
	return func(classes *sim.Classes) error {
		return classes.Register(sim.Class{
			Name: "Lantern", Parent: "Marker", Fields: fields,
			New: func() sim.Object { return &lantern{Marker: game.Defaults[game.Marker](), power: 3} },
		})
	}
}

// TestReplayWithOtherClients checks that the journal of a server whose client lacks a class replays
// exactly, and that programs with other classes than the server name the first one.
func TestReplayWithOtherClients(t *testing.T) {
	power := sim.IntField("power", 3, 0, 9, func(l *lantern) *int { return &l.power })
	var out bytes.Buffer
	seed := uint64(3)
	cfg := node.Config{Common: node.Common{Seed: &seed, Register: registerLantern(power)}, Server: node.ServerConfig{Journal: &node.Journal{Writer: &out}}}
	v := nodetest.NewVirtual(t, cfg, 1)
	v.Run(t, 100*time.Millisecond)
	_, err := v.Server.Console().Exec(`new "Lantern" { name = "lantern", power = 7 }; find("lantern"):setScopeAlways()`)
	require.NoError(t, err)
	for found := false; !found; v.Run(t, time.Millisecond) {
		require.Less(t, v.Now, 20*time.Second)
		v.Clients[0].Host().World().Each(nil, func(o sim.Object) bool {
			class := o.Ident().Class()
			found = found || class.Name == "Lantern" && class.Lookup("power").Get(o).Number() == 7
			return !found
		})
	}
	v.Run(t, 9*time.Second) // a hash of the world
	require.NoError(t, v.Server.Close())
	r, err := runAgain(t, out.Bytes(), replay.Config{Register: cfg.Register})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.True(t, r.Whole())

	more := func(classes *sim.Classes) error {
		if err := cfg.Register(classes); err != nil {
			return err
		}
		return classes.Register(sim.Class{Name: "Torch", Parent: "Lantern", New: func() sim.Object { return new(lantern) }})
	}
	for want, register := range map[string]func(*sim.Classes) error{
		"the class Lantern, which this program lacks": nil,
		"another class Lantern than this program":     registerLantern(),
		"no class Torch, which this program has":      more,
	} {
		_, err := replay.New(bytes.NewReader(out.Bytes()), replay.Config{Register: register})
		assert.EqualError(t, err, "the journal has "+want+": replay it with torc -")
	}
}
