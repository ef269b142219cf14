package nodetest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
)

// ghostOracle checks V5, V7 and V9.
type ghostOracle struct {
	newest map[sight]int  // the newest version of a probe that a player has seen
	exists map[int]bool   // serial numbers of the probes that exist now
	known  map[int]bool   // and of all that have existed
	now    map[int]int    // versions of the probes on the server
	groups map[string]int // of the players, as the mod has set them, by the texts of their keys
}

type sight struct{ player, serial int }

// booted notes that a process of the server begins.
func (o *ghostOracle) booted() {
	if o.newest == nil {
		o.newest, o.known, o.groups = map[sight]int{}, map[int]bool{}, map[string]int{}
	}
	o.now, o.exists = map[int]int{}, map[int]bool{}
}

// look reads the probes of the server. It runs after each tick of the server.
func (o *ghostOracle) look(v *sim.World) {
	clear(o.exists)
	eachProbe(v, func(p probe) {
		o.exists[p.serial], o.known[p.serial], o.now[p.serial] = true, true, p.a
	})
}

// probe has the fields of a probe or of its ghost.
type probe struct {
	object             sim.Object
	serial, mask, a, b int
}

func eachProbe(w *sim.World, do func(p probe)) {
	class := w.Classes().Lookup("Probe")
	if class == nil {
		return
	}
	var fields probeFields
	w.Each(class, func(o sim.Object) bool {
		do(fields.read(o))
		return true
	})
}

// probeFields are the fields that are read from objects of one class after the other. The zero
// value is ready.
type probeFields struct {
	class              *sim.Class // of the fields
	probe              bool       // the class is Probe, and has the last four
	dataBlock          *sim.Field // nil: the class has none
	serial, mask, a, b *sim.Field
}

// of finds the fields of a class.
func (f *probeFields) of(class *sim.Class) {
	if class == f.class {
		return
	}
	*f = probeFields{class: class, dataBlock: class.Lookup("dataBlock"), probe: class.Name == "Probe"}
	if f.probe {
		f.serial, f.mask, f.a, f.b = class.Lookup("serial"), class.Lookup("mask"), class.Lookup("a"), class.Lookup("b")
	}
}

// read returns the fields of a probe.
func (f *probeFields) read(o sim.Object) probe {
	f.of(o.Ident().Class())
	number := func(field *sim.Field) int { return int(field.Get(o).Number()) }
	return probe{o, number(f.serial), number(f.mask), number(f.a), number(f.b)}
}

// sees checks the probes that a player sees.
func (o *ghostOracle) sees(s *system, p *player) {
	c := p.connection()
	if c == nil {
		return
	}
	seen := map[int]bool{}
	var fields probeFields
	c.PeerGhosts.Each(func(g sim.Object) bool {
		fields.of(g.Ident().Class())
		if f := fields.dataBlock; f != nil && f.Get(g).Object() == 0 {
			s.fail("V9", "player %d has a ghost of class %s without its datablock", p.number, fields.class.Name)
		}
		if !fields.probe {
			return true
		}
		r := fields.read(g)
		at := sight{p.number, r.serial}
		switch {
		case !o.known[r.serial]:
			s.fail("V7", "player %d sees probe %d, which has never existed", p.number, r.serial)
		case seen[r.serial]:
			s.fail("V7", "player %d has two ghosts of probe %d", p.number, r.serial)
		case r.a != r.b:
			s.fail("V5", "player %d sees half of a change of probe %d: a = %d, b = %d", p.number, r.serial, r.a, r.b)
		case r.a < o.newest[at]:
			s.fail("V5", "player %d sees version %d of probe %d after version %d", p.number, r.a, r.serial, o.newest[at])
		case o.exists[r.serial] && r.a > o.now[r.serial]:
			s.fail("V5", "player %d sees version %d of probe %d, whose newest version is %d", p.number, r.a, r.serial, o.now[r.serial])
		}
		seen[r.serial], o.newest[at] = true, r.a
		return true
	})
}

// compare returns how the ghosts of a player differ from their objects, or "". The server must have
// changed nothing for a while.
func (o *ghostOracle) compare(s *system, v, c *engine.Connection) string {
	ghosts := map[int]probe{}
	var fields probeFields
	c.PeerGhosts.Each(func(g sim.Object) bool {
		if g.Ident().Class().Name == "Probe" {
			r := fields.read(g)
			ghosts[r.serial] = r
		}
		return true
	})
	why, groups := "", o.groups[v.Key().String()]
	if s.server.game == "ctf" { // it gives its own groups to the players
		groups = int(v.Visible.Groups() & 0xff)
	}
	eachProbe(v.Ident().World(), func(p probe) {
		g, has := ghosts[p.serial]
		delete(ghosts, p.serial)
		switch scope := p.mask == 0 || p.mask&groups != 0; {
		case why != "":
		case scope && !has:
			why = fmt.Sprintf("V7: probe %d is in scope and has no ghost", p.serial)
		case !scope && has:
			why = fmt.Sprintf("V7: probe %d is not in scope and has a ghost", p.serial)
		case has:
			why = equal(v, c, p.object, g.object, false)
		}
	})
	for _, serial := range slices.Sorted(maps.Keys(ghosts)) {
		if why == "" {
			why = fmt.Sprintf("V7: there is a ghost of probe %d, which does not exist", serial)
		}
	}
	if why == "" {
		why = equalBlocks(v.Ident().World(), c.Ident().World())
	}
	return why
}

// compareAll returns how all ghosts of a player differ from their objects, or "". The server must
// be paused.
func (o *ghostOracle) compareAll(v, c *engine.Connection) (why string) {
	ghosts := map[int]sim.Object{}
	c.PeerGhosts.Each(func(g sim.Object) bool {
		id, _ := c.PeerGhosts.IDOf(g)
		ghosts[int(id)] = g
		return true
	})
	v.Ghosts().Each(func(id int, number uint32, _ ghost.Status) {
		from, g := v.Ident().World(), ghosts[id]
		delete(ghosts, id)
		switch object := o.objectOf(from, number); {
		case why != "":
		case object == nil:
			why = fmt.Sprintf("V7: ghost %d has left the scope and is still there", id)
		case g == nil:
			why = fmt.Sprintf("V7: %s has no ghost", object.Ident().Class().Name)
		default:
			why = equal(v, c, object, g, true)
		}
	})
	for _, id := range slices.Sorted(maps.Keys(ghosts)) {
		if why == "" {
			why = fmt.Sprintf("V7: the ghost of a %s stands for nothing", ghosts[id].Ident().Class().Name)
		}
	}
	return why
}

// objectOf returns the object with a number in ghost streams, or nil.
func (o *ghostOracle) objectOf(w *sim.World, number uint32) (found sim.Object) {
	if number == 0 {
		return nil
	}
	w.Each(nil, func(o sim.Object) bool {
		if o.Ident().Number() == number {
			found = o
		}
		return found == nil
	})
	return found
}

// equal returns how a ghost differs from its object at the precision of the wire, or "". Groups
// that a client computes itself between updates can differ. A paused server does not notice that
// the ghost of a referred object has arrived.
func equal(v, c *engine.Connection, o, g sim.Object, paused bool) string {
	var a, b sim.Values
	class := o.Ident().Class()
	if class.Name != g.Ident().Class().Name {
		return fmt.Sprintf("V7: a %s has a ghost of class %s", class.Name, g.Ident().Class().Name)
	}
	skip := class.PredictedGroups | class.Control
	for group := range class.Groups() {
		if skip>>group&1 != 0 {
			continue
		}
		class.Quantise(o, group, &a)
		g.Ident().Class().Quantise(g, group, &b)
		if !slices.Equal(a.Texts, b.Texts) {
			return fmt.Sprintf("V5: group %d of %s: %q, and its ghost %q", group, class.Name, a.Texts, b.Texts)
		}
		for i, cell := range class.Cells(group) {
			want, got := a.Cells[i], b.Cells[i]
			if cell.Kind == sim.CellRef {
				want, got = referred(v, want), reference(c, got)
				if paused && got == 0 {
					continue
				}
			}
			if want != got && !concealed[cell.Field.Name] {
				return fmt.Sprintf("V5: %s of %s: %d, and its ghost %d", cell.Field.Name, class.Name, want, got)
			}
		}
	}
	return ""
}

// concealed are the fields that the stock games hide from some players.
var concealed = map[string]bool{"damageLevel": true}

// referred returns the number of a server's object in references: its ghost's id + 1, or 0 without
// a ghost.
func referred(v *engine.Connection, id uint64) uint64 {
	if o := v.Ident().World().Find(sim.ID(id)); o != nil && o.Ident().Number() != 0 {
		return uint64(v.Ghosts().ToWire(o.Ident().Number()))
	}
	return 0
}

// reference returns the same for a ghost.
func reference(c *engine.Connection, id uint64) uint64 {
	if o := c.Ident().World().Find(sim.ID(id)); o != nil {
		if ghost, ok := c.PeerGhosts.IDOf(o); ok {
			return uint64(ghost) + 1
		}
	}
	return 0
}

// equalBlocks returns how the datablocks of a client differ from those of the server, or "".
func equalBlocks(v, c *sim.World) string {
	description := func(w *sim.World) string {
		o := w.FindName("ProbeBlock")
		if o == nil {
			return "missing"
		}
		return o.Ident().Class().Lookup("description").Get(o).Text()
	}
	if a, b := description(v), description(c); a != b {
		return fmt.Sprintf("V9: the datablock ProbeBlock is %s, and that of the client %s", a, b)
	}
	return ""
}
