package engine_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// cellsOf describes the net objects of a world as peers get them: quantised, and with names for
// references.
func cellsOf(w *sim.World) string {
	var rows []string
	w.Each(nil, func(o sim.Object) bool {
		class := o.Ident().Class()
		if class.Kind != sim.NetClass || class.Name == "GameConnection" {
			return true
		}
		row := class.Name
		for g := range class.Groups() {
			if k, ok := o.(*enginetest.Knob); ok && class.Coder(g) != nil {
				row += fmt.Sprint(" ", k.On, k.On && k.Angle > 0)
				continue
			}
			var v sim.Values
			class.Quantise(o, g, &v)
			for i, cell := range class.Cells(g) {
				if cell.Kind == sim.CellRef {
					row += " " + nameOf(w.Find(sim.ID(v.Cells[i])))
				} else {
					row += fmt.Sprint(" ", v.Cells[i])
				}
			}
			row += fmt.Sprintf(" %q;", v.Texts)
		}
		rows = append(rows, row)
		return true
	})
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

// A demoFile collects a recording in memory, and what the host was like in each of its ticks.
type demoFile struct {
	bytes.Buffer
	past  map[uint64]string
	ended []error
}

// recordDemo begins a recording of a host.
func recordDemo(t *testing.T, h *engine.Host) *demoFile {
	t.Helper()
	d := &demoFile{past: map[uint64]string{}}
	header := h.Demos.Header()
	d.Write(header.Bytes())
	require.NoError(t, h.Demos.Record(spectate.Sink{
		Chunk: func(b []byte) error { d.Write(b); return nil },
		Ended: func(why error) { d.ended = append(d.ended, why) },
	}))
	return d
}

// open opens the recording.
func (d *demoFile) open(t *testing.T) *recording.File {
	t.Helper()
	f, err := recording.Open(bytes.NewReader(d.Bytes()), int64(d.Len()))
	require.NoError(t, err)
	return f
}

// stage returns a host that plays a demo.
func stage(t *testing.T, r *enginetest.Rig, f *recording.File) (*enginetest.Player, *engine.Connection) {
	t.Helper()
	p := r.Player(99, 0, false, nil)
	c, err := p.Demos.Play(f, func() {})
	require.NoError(t, err)
	return p, c
}

// check plays all of a demo, and then from random ticks on. Each tick must be as it was.
func (d *demoFile) check(t *testing.T, r *enginetest.Rig, rng *rand.Rand) {
	t.Helper()
	f := d.open(t)
	require.NoError(t, f.Damage)
	p, c := stage(t, r, f)
	seen := 0
	for p.Tick(0); !c.Watching.Film().Over(); p.Tick(0) {
		tick := c.Watching.Film().Tick()
		require.Equal(t, d.past[tick], cellsOf(p.World()), "tick %d", tick)
		seen++
	}
	require.NoError(t, c.Watching.Film().Why())
	require.EqualValues(t, f.Last()-f.First()+1, seen)
	for range 30 {
		tick := f.First() + rng.Uint64N(f.Last()-f.First()+1)
		c.Watching.Seek(tick)
		for k := uint64(0); k < 5 && tick+k <= f.Last(); k++ {
			require.Equal(t, tick+k, c.Watching.Film().Tick())
			require.Equal(t, d.past[tick+k], cellsOf(p.World()), "tick %d after a seek to %d", tick+k, tick)
			p.Tick(0)
		}
	}
}

// TestDemosOfServers records a server whose objects of all kinds come, change and go, from the
// middle of a game on. The demo has exactly its world in each tick, also what is hidden from
// clients, and after seeks.
func TestDemosOfServers(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 100) {
		rng := rand.New(rand.NewPCG(seed, 9))
		r := enginetest.New(t, enginetest.Options{Seed: seed})
		server := r.Server
		declare(t, server.Host, 3, 0)
		r.Join()
		var d *demoFile
		for n := range testenv.Length(500, 800) {
			if n == 100 {
				server.Settings.MaxWatchers = int(seed % 2) // with another recording, or without
				d = recordDemo(t, server.Host)
			}
			mix(t, rng, server.World(), server.TickNumber())
			if n == 300 {
				server.Rules.SetGroups(labelled(t, server.Host, "of a team"), 4)
				require.NoError(t, server.Rules.HideField(labelled(t, server.Host, "hidden"), nil, "label", true))
			}
			r.Run(engine.TickTime)
			if d != nil {
				d.past[server.TickNumber()] = cellsOf(server.World())
			}
		}
		assert.True(t, server.Demos.Stop())
		assert.Equal(t, []error{nil}, d.ended)
		d.check(t, r, rng)
	}
}

// TestDemosOfClients records a client over a line that loses packets: its ghosts tick by tick, and
// the body that it predicts. The mission changes in the middle.
func TestDemosOfClients(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 100) {
		rng := rand.New(rand.NewPCG(seed, 9))
		line := netcore.LinkParams{Loss: 0.1, Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond}
		r := enginetest.New(t, enginetest.Options{Seed: seed, Up: line, Down: line})
		server, client := r.Server, r.Clients[0].Host
		declare(t, server.Host, 3, 0)
		r.Join()
		body, err := server.World().New("Runner", nil)
		require.NoError(t, err)
		require.NoError(t, r.Peer(0).Control.Set(body))
		client.SetMoves(func(*engine.Connection) sim.Move { return sim.Move{Y: sim.MoveFull, Yaw: int16(rng.IntN(2000))} })
		var d *demoFile
		for n := range 800 {
			if n == 100 {
				d = recordDemo(t, client)
			}
			if n == 500 {
				r.Peer(0).Ghosting.Reset()
			}
			if n == 520 {
				declare(t, server.Host, 4, 0)
				r.Peer(0).Blocks.Transmit(2)
			}
			mix(t, rng, server.World(), server.TickNumber())
			r.Run(engine.TickTime)
			if d != nil {
				d.past[client.TickNumber()] = cellsOf(client.World())
			}
		}
		require.Equal(t, engine.PhaseGame, client.Server().Join.Phase(), "after the change of the mission")
		assert.True(t, client.Demos.Stop())
		d.check(t, r, rng)
		_, c := stage(t, r, d.open(t))
		c.Watching.Seek(d.open(t).Last())
		own, _, fov := c.Watching.Film().Eyes()
		assert.IsType(t, &enginetest.Runner{}, own)
		assert.Equal(t, 90, fov)
	}
}

// TestDemosHaveCommands: a demo of a server has what is told to all, and that of a client what it
// was told and what lasts, also after a seek.
func TestDemosHaveCommands(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	server, client := r.Server.Host, r.Clients[0].Host
	r.Join()
	all, mine := recordDemo(t, server), recordDemo(t, client)
	r.Run(time.Second)
	client.Demos.Keep("line 1", sim.Tag("Line"), sim.String("first"))
	client.Demos.Keep("line 1", sim.Tag("Line"), sim.String("second"))
	require.NoError(t, server.Demos.Command(sim.Tag("All"), []sim.Value{sim.String("hello")}))
	require.NoError(t, r.Peer(0).Commands.Send(engine.CommandOptions{}, sim.Tag("Mine"), []sim.Value{sim.Tag("%1!"), sim.Number(7)}))
	r.Run(20 * time.Second)
	server.Demos.Stop()
	client.Demos.Stop()
	heard := func(d *demoFile, seek uint64) (lines []string) {
		p, c := stage(t, r, d.open(t))
		p.Handler = func(_ *engine.Connection, args []sim.Value) { lines = append(lines, args[0].Text()) }
		c.Watching.Seek(seek)
		return lines
	}
	soon := all.open(t).First() + 60
	assert.Equal(t, []string{"hello"}, heard(all, soon))
	assert.Equal(t, []string{"first", "second", "7!"}, heard(mine, mine.open(t).First()+60))
	assert.Equal(t, []string{"second"}, heard(mine, mine.open(t).Last()), "a state repeats what lasts")
}

// TestDemosEnd: a sink that takes no more ends the recording with its reason, and so does the end
// of the connection.
func TestDemosEnd(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	server, client := r.Server.Host, r.Clients[0].Host
	require.ErrorContains(t, client.Demos.Record(spectate.Sink{}), "this client is not in a game")
	r.Join()
	mine := recordDemo(t, client)
	require.ErrorContains(t, client.Demos.Record(spectate.Sink{}), "a recording is under way")
	full, ended := errors.New("the disk is full"), []error{}
	require.NoError(t, server.Demos.Record(spectate.Sink{
		Chunk: func([]byte) error { return full },
		Ended: func(why error) { ended = append(ended, why) },
	}))
	r.Run(time.Second)
	assert.Equal(t, []error{full}, ended)
	assert.False(t, server.Demos.Stop())
	require.NoError(t, client.Dialer.Disconnect(""))
	r.Run(time.Second)
	require.Len(t, mine.ended, 1)
	assert.EqualError(t, mine.ended[0], "the connection has ended")
	p, c := stage(t, r, mine.open(t))
	c.Watching.Seek(0)
	require.ErrorContains(t, p.Demos.Record(spectate.Sink{}), "this is a demo already")
}

// chunkOf returns a whole state of tick 1 with any entries.
func chunkOf(t testing.TB, entries []byte) []byte {
	var body bytes.Buffer
	w, err := flate.NewWriter(&body, flate.BestSpeed)
	require.NoError(t, err)
	_, err = w.Write(entries)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	b := []byte{2, 1, 0}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(len(entries))), uint64(body.Len()))
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, body.Bytes())
	return append(binary.LittleEndian.AppendUint32(b, sum), body.Bytes()...)
}

// FuzzDemo plays any entries in a world: damage ends the film, and never the process.
func FuzzDemo(f *testing.F) {
	f.Add([]byte{1, 4, 1, 9, 5, 1, 0, 1, 4, 0, 0, 0, 1})
	f.Add([]byte{1, 9, 1, 1, 90, 7, 4, 3, 'S', 'a', 'y', 0, 1})
	f.Add([]byte{1, 8, 1, 'k', 4, 3, 'S', 'a', 'y', 0, 1})
	f.Fuzz(func(t *testing.T, entries []byte) {
		if len(entries) == 0 || len(entries) > 1<<16 {
			return
		}
		p := engine.NewHost(engine.Config{Classes: enginetest.Classes(t), Entropy: rand.NewChaCha8([32]byte{})})
		h := p.Demos.Header()
		b := append(h.Bytes(), chunkOf(t, entries)...)
		file, err := recording.Open(bytes.NewReader(b), int64(len(b)))
		require.NoError(t, err)
		c, err := p.Demos.Play(file, func() {})
		require.NoError(t, err)
		for n := 0; n < 3 && !c.Watching.Film().Over(); n++ {
			p.Tick(0)
		}
		c.Watching.Seek(1)
		p.Tick(0)
	})
}

// TestADemoOfProtocol9IsRefused: a file that torc recorded with protocol 9 opens, and is refused
// with both versions. Nothing of it is read by the rules of today.
func TestADemoOfProtocol9IsRefused(t *testing.T) {
	old, err := os.ReadFile("testdata/protocol9.demo")
	require.NoError(t, err)
	f, err := recording.Open(bytes.NewReader(old), int64(len(old)))
	require.NoError(t, err)
	assert.Equal(t, []any{uint32(9), "player 1"}, []any{f.Header.Protocol, f.Header.Server})
	r := enginetest.New(t, enginetest.Options{})
	_, err = r.Player(50, 0, false, nil).Demos.Play(f, func() {})
	assert.EqualError(t, err, fmt.Sprintf(`the demo is of torc "" with protocol 9, and this torc plays protocol %d`, netcore.ProtocolVersion))
}

// TestOtherVersionsAreNotPlayed: demos of an older and of a newer protocol are refused, with both
// versions.
func TestOtherVersionsAreNotPlayed(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	d := recordDemo(t, r.Server.Host)
	r.Run(time.Second)
	require.True(t, r.Server.Demos.Stop())
	for i, version := range []uint32{netcore.ProtocolVersion - 1, netcore.ProtocolVersion + 1} {
		f := d.open(t)
		f.Header.Protocol, f.Header.Program = version, "v9"
		_, err := r.Player(uint16(50+i), 0, false, nil).Demos.Play(f, func() {})
		assert.EqualError(t, err, fmt.Sprintf(`the demo is of torc "v9" with protocol %d, and this torc plays protocol %d`, version, netcore.ProtocolVersion))
	}
	stage(t, r, d.open(t))
}
