package attack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The streams of a connection.
const (
	moveStream  = 0
	eventStream = 1
	ghostStream = 2
)

// The numbers of kinds of events on the wire, in 3 bits.
const (
	eventBits   = 3
	description = 4
	hello       = 5
	phaseStep   = 7
)

// classBits is the width of a class number on the wire.
const classBits = 10

// forgedClass is the name of classes and datablocks that clients try to make on the server.
const forgedClass = "Forged"

// playMarks lets clients write one bit more than the server reads, as a mistake in the code of a class
// does. Their packets have check marks.
func playMarks(r *round) error {
	streams := []int{moveStream, eventStream, ghostStream}
	n := len(streams) * r.rate(20)
	why, err := r.playForged(n, func(i int) clientSpec {
		spec := evilIn(streams[i%len(streams)], false, evil{appends: true, write: func(w *bitstream.Writer) { w.WriteFlag(false) }})
		spec.set = func(s *engine.Settings) { s.Check = true }
		return spec
	})
	if err != nil {
		return err
	}
	r.note("%d clients wrote a bit too much, for %d reasons", n, len(why))
	r.judgeForged(why, ": written up to bit ")
	return nil
}

// sealed returns a client that sends one section of its own in place of those of a stream: with its
// first packet, or in the game.
func sealed(stream int, early bool, write func(w *bitstream.Writer)) clientSpec {
	return evilIn(stream, early, evil{write: write})
}

// evilIn returns a client with an evil stream that is on from its first packet, or in the game.
func evilIn(stream int, early bool, e evil) clientSpec {
	e.on = new(atomic.Bool)
	e.on.Store(early)
	return clientSpec{
		streams: func(own []netcore.Stream) []netcore.Stream {
			e.Stream = own[stream]
			own[stream] = &e
			return own
		},
		tick: func(c *client) { e.on.Store(e.on.Load() || c.playing()) },
	}
}

// playForged starts n clients, and waits until the server has ended their connections. It returns the
// reasons and how often each was given.
func (r *round) playForged(n int, spec func(i int) clientSpec) (why map[string]int, err error) {
	const batch = 50
	why = map[string]int{}
	for first := 0; first < n; first += batch {
		var all []*client
		for i := first; i < min(first+batch, n); i++ {
			one := spec(i)
			one.from = r.address(i % 250)
			c, err := r.attacker(i, one)
			if err != nil {
				return why, err
			}
			all = append(all, c)
		}
		r.bad.until(5*time.Second, func() bool { return !slices.ContainsFunc(all, func(c *client) bool { return c.over == "" }) })
		for _, c := range all {
			r.bad.do(func() { why[c.over]++ })
			r.bad.remove(c, "", true)
		}
	}
	return why, nil
}

// judgeForged fails the row if a connection stays, or has ended for another reason than the wanted one.
func (r *round) judgeForged(why map[string]int, want string) {
	others, example := 0, ""
	for reason, n := range why {
		if !strings.Contains(reason, want) {
			others, example = others+n, reason
		}
	}
	r.fail(others > 0, "%d clients were not disconnected for %q, but for example for %q", others, want, example)
}

// playClasses lets clients send descriptions of classes with all numbers, and other events that only a
// server sends.
func playClasses(r *round) error {
	first, class, err := describeForged()
	if err != nil {
		return err
	}
	kinds := []int{description, description, hello, phaseStep}
	n := len(kinds) << classBits
	if r.short {
		n = 48
	}
	why, err := r.playForged(n, func(i int) clientSpec {
		id := uint64(first+i/len(kinds)) % (1 << classBits)
		way := i % len(kinds)
		return sealed(eventStream, i/8%2 == 0, func(w *bitstream.Writer) {
			unordered := i/4%2 == 0
			if w.WriteFlag(unordered); !unordered {
				w.WriteFlag(true)      // a run of the first channel,
				w.WriteBits(3|2<<2, 4) // its number in 16 bits,
				w.WriteBits(0, 16)     // and that is 0
			}
			w.WriteBits(uint64(kinds[way]), eventBits)
			switch way {
			case 0:
				w.WriteFlag(true)
				writeBytes(w, class(id))
			case 1:
				w.WriteFlag(false)
				writeBytes(w, forgedBlock(id))
			default:
				text := forgedClass
				w.Text(&text, 256)
				w.WriteBits(id, 64)
			}
			w.WriteBits(0, 3)
		})
	})
	if err != nil {
		return err
	}
	r.note("%d clients sent classes, datablocks and steps of a join with class numbers from %d, for %d reasons", n, first, len(why))
	r.judgeForged(why, "in the wrong direction")
	return r.judgeConsoleLua(fmt.Sprintf("echo(find(%q), pcall(function() return new %q {} end))", forgedClass, forgedClass),
		"nil\tfalse\t", "a class or a datablock of a client is on the server")
}

// judgeConsoleLua fails the row if the output of a console line does not begin with a text.
func (r *round) judgeConsoleLua(line, want, why string) error {
	if r.server == nil {
		return nil
	}
	got, err := r.exec("%s", line)
	r.fail(err == nil && !strings.HasPrefix(got, want), "%s: %q", why, got)
	return err
}

func writeBytes(w *bitstream.Writer, b []byte) { w.Codec.Bytes(&b, 1<<20) }

// describeForged returns the number of the first class that a server can declare, and the description
// of a class with any number.
func describeForged() (first int, class func(id uint64) []byte, err error) {
	classes, err := newClasses()
	if err != nil {
		return 0, nil, err
	}
	session := classes.Session()
	c, err := session.Declare(sim.ClassSpec{Name: forgedClass, Source: "forged.lua:1", Fields: []sim.FieldSpec{{Name: "x", Kind: sim.KindBool}}})
	if err != nil {
		return 0, nil, err
	}
	w := bitstream.NewWriter(make([]byte, 1000))
	session.PackClass(w, c)
	text := slices.Clone(w.Bytes())
	return session.WireID(c), func(id uint64) []byte {
		in, out := bitstream.NewReader(text), bitstream.NewWriter(make([]byte, 1000))
		in.ReadBits(classBits)
		out.WriteBits(id, classBits)
		for in.Left() > 0 {
			out.WriteFlag(in.ReadFlag())
		}
		return out.Bytes()
	}, w.Err()
}

// forgedBlock returns the description of a datablock of a class.
func forgedBlock(class uint64) []byte {
	w := bitstream.NewWriter(make([]byte, 100))
	key, name := uint64(1), forgedClass
	w.WriteBits(class, classBits)
	w.WriteBits(0, 14)
	w.Var(&key)
	w.WriteFlag(false)
	w.Text(&name, 256)
	w.WriteBits(0, 40)
	return w.Bytes()
}

// ghostIDs is the number of ghost ids that clients name, from 0.
const ghostIDs = 1024

// playGhosts lets clients send ghosts with all ids to the server, and commands with references to
// ghosts: their own, which the server does not have, and ghosts of the server, absent and present.
func playGhosts(r *round) error {
	n := ghostIDs
	if r.short {
		n = 30
	}
	why, err := r.playForged(n, func(i int) clientSpec {
		return sealed(ghostStream, i%2 == 0, func(w *bitstream.Writer) { forgeGhost(w, i%3, uint64(i*ghostIDs/n)) })
	})
	if err != nil {
		return err
	}
	r.note("%d clients sent ghosts, for %d reasons", n, len(why))
	r.judgeForged(why, "unexpected ghosts")
	absent, err := r.refer(map[int]uint64{ownObject: 0, ownBlock: 0, yourObject: 1 << 13})
	if err != nil {
		return err
	}
	present, err := r.refer(map[int]uint64{yourObject: 0})
	r.note("%d references to absent ghosts are %d objects, %d to present and absent ones are %d", absent.all, absent.objects, present.all, present.objects)
	r.fail(absent.objects > 0, "a reference to an absent ghost is an object")
	r.fail(absent.all == 0 || present.objects == 0, "no reference arrived, so the row proves nothing")
	return err
}

// forgeGhost writes a ghost section with one ghost in one of its three lists.
func forgeGhost(w *bitstream.Writer, list int, id uint64) {
	w.WriteFlag(true)
	w.WriteBits(0, 2)  // no reset, no base
	w.WriteBits(1, 32) // the tick
	w.WriteBits(0, 2)
	one, two := uint64(1), uint64(2)
	for i := range 3 {
		if i != list {
			w.Gamma(&one)
			continue
		}
		w.Gamma(&two)
		w.WriteBits(15, 4)
		if i == 2 {
			w.Gamma(&one) // of updates: no usual groups
		}
		gap := uint32(id)
		w.Rice(&gap, 15)
		w.WriteBits(id, classBits)
		w.WriteBits(0, 32)
	}
}

// The kinds of arguments that are references.
const (
	ownObject  = 9
	ownBlock   = 10
	yourObject = 12
)

// references are counts of the mod probe.
type references struct{ all, objects int }

// refer lets a client send commands with references to all ids from the given ones, for each kind of
// argument. It returns the counts of the server.
func (r *round) refer(from map[int]uint64) (got references, err error) {
	before, err := r.probed("referred")
	if err != nil {
		return got, err
	}
	kinds := slices.Sorted(maps.Keys(from))
	next := 0
	on := new(atomic.Bool)
	one, err := r.attackers(1, func(int) clientSpec {
		return clientSpec{streams: func(own []netcore.Stream) []netcore.Stream {
			own[eventStream] = &evil{Stream: own[eventStream], on: on, write: func(w *bitstream.Writer) {
				kind := kinds[next%len(kinds)]
				writeReferences(w, kind, from[kind]+uint64(next/len(kinds)*maxArgs%ghostIDs))
				next++
			}}
			return own
		}}
	})
	if err != nil {
		return got, err
	}
	on.Store(true)
	time.Sleep(r.length / 2)
	r.bad.do(func() { r.fail(one[0].over != "", "references end the connection: %q", one[0].over) })
	r.bad.remove(one[0], "", true)
	after, err := r.probed("referred")
	return references{after[0] - before[0], after[1] - before[1]}, err
}

// maxArgs is the most arguments of a command.
const maxArgs = 20

// writeReferences writes a command with references to some ids.
func writeReferences(w *bitstream.Writer, kind int, first uint64) {
	const command = 3
	name := "Refer"
	w.WriteFlag(true)
	w.WriteBits(command, eventBits)
	w.WriteFlag(false)
	w.Text(&name, 1024)
	w.WriteBits(maxArgs, 5)
	for range maxArgs {
		w.WriteBits(uint64(kind), 4)
	}
	for i := range maxArgs {
		id := first + uint64(i)
		w.Var(&id)
	}
	w.WriteBits(0, 3)
}

// bomb is a tag that grows with each level of its expansion.
var bomb = strings.Repeat("%1%2%3%4%5%6%7%8%9", 12)

// playBombs sends tags that contain each other, as arguments and as the name of a command.
func playBombs(r *round) error {
	sent := 0
	_, err := r.attackers(4, func(int) clientSpec {
		return clientSpec{tick: func(c *client) {
			if !c.playing() {
				return
			}
			args := make([]sim.Value, maxArgs)
			for i := range args {
				args[i] = sim.Tag(bomb)
			}
			args[len(args)-1] = sim.String(strings.Repeat("x", 200))
			for _, name := range []string{"Show", "Show", "Nope", bomb} {
				if c.call(name, args...) == nil {
					sent++
				}
			}
		}}
	})
	if err != nil {
		return err
	}
	time.Sleep(r.length)
	shown, err := r.probed("shown")
	if err != nil {
		return err
	}
	r.bad.do(func() {
		r.note("%d commands with 19 tags, %d handled: texts ≤ %d bytes, ≤ %d bytes for a command", sent, shown[0], shown[1], shown[2])
	})
	r.fail(shown[0] == 0 || shown[1] < 1000, "no tag was expanded, so the row proves nothing")
	r.fail(shown[1] > 1<<10, "a text of more than 1,024 bytes")
	r.fail(shown[2] > 8<<10, "more than 8 KiB for a command")
	return nil
}
