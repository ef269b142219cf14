package spectate

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// A Playback shows a recording in a world of its own, as ghosts.
type Playback struct {
	world   *sim.World
	group   *sim.Group // of the ghosts
	hooks   Hooks
	player  recording.Player
	running bool // it has enough ticks to play
	objects map[uint32]*played
	added   []*played    // created in this tick
	moved   []movedGhost // in this tick
	late    []lateGroup  // set again at the end of the tick, when all objects are in the world
	lateAt  map[lateKey]int
	calls   [][]byte // commands of this tick, run when all objects are in the world
	voices  []recording.Voice
	view    recording.View
	values  sim.Values
	reader  bitstream.Reader
}

// Hooks are called by a playback; none may be nil.
type Hooks struct {
	Reset          func() // a state replaces everything
	Command        func(name string, args []sim.Value)
	Added, Removed func(sim.Object) // a ghost is complete; a ghost is about to be removed
	// Voice gets a frame of voice, and the ghost that its player controls; 0 for none.
	Voice func(v *recording.Voice, object sim.ID)
}

// NewPlayback makes a playback whose ghosts are members of a group. The group must be in the world.
func NewPlayback(w *sim.World, group *sim.Group, hooks Hooks) *Playback {
	return &Playback{world: w, group: group, hooks: hooks, objects: map[uint32]*played{}, lateAt: map[lateKey]int{}}
}

// played is an object of a recording.
type played struct {
	object sim.Object
	moving sim.Interpolator // nil: it does not move between updates
	moved  bool             // in this tick
	gone   bool
}

// movedGhost is an object whose groups have changed, and its place before.
type movedGhost struct {
	to     *played
	before sim.Place
}

// lateGroup is a group that refers to other objects.
type lateGroup struct {
	of    *played
	group int
	cells []uint64
	texts []string
}

// lateKey is a group of an object.
type lateKey struct {
	of    *played
	group int
}

// maxCalls is the most commands in a tick of a recording.
const maxCalls = 4096

// Ticks that wait to be played: below the first number, playback waits for more. Above the others
// it is faster.
const (
	enoughTicks = chunkTicks + chunkTicks/2
	manyTicks   = 4 * chunkTicks
	tooMany     = 20 * chunkTicks
)

// Write takes the next bytes of the recording.
func (p *Playback) Write(b []byte) (int, error) { return p.player.Write(b) }

// Tick returns the number of the tick of the server that is shown, 0 before the first.
func (p *Playback) Tick() uint64 { return p.player.Tick() }

// Step plays the ticks that are due in this tick of the viewer.
func (p *Playback) Step() error {
	for n := p.due(); n > 0; n-- {
		if ok, err := p.advance(); err != nil || !ok {
			p.running = false
			return err
		}
	}
	return nil
}

// advance plays the next tick. It returns false if there is none yet.
func (p *Playback) advance() (played bool, err error) {
	if played, err = p.player.Step(p); err == nil && played {
		err = p.endTick()
	}
	return played, err
}

// due returns how many ticks to play in this tick.
func (p *Playback) due() int {
	waiting := p.player.Waiting()
	if !p.running {
		p.running = waiting >= enoughTicks
	}
	switch {
	case !p.running:
		return 0
	case waiting > tooMany:
		return 8
	case waiting > manyTicks:
		return 2
	}
	return 1
}

// endTick completes the objects of a tick.
func (p *Playback) endTick() error {
	for _, e := range p.added {
		if !e.gone {
			if err := p.add(e); err != nil {
				return err
			}
		}
	}
	for _, g := range p.late {
		if g.of.object.Ident().Alive() {
			if err := p.restore(g.of.object, g.group, g.cells, g.texts); err != nil {
				return err
			}
		}
	}
	for _, m := range p.moved {
		m.to.moved = false
		if m.to.object.Ident().Alive() {
			p.world.Receive(m.to.moving, m.before, 0)
		}
	}
	for _, e := range p.added {
		if e.object.Ident().Alive() {
			p.hooks.Added(e.object)
		}
	}
	for i := range p.voices {
		p.hooks.Voice(&p.voices[i], p.idOf(uint64(p.voices[i].Object)))
	}
	calls := p.calls
	p.clear()
	for _, data := range calls {
		name, args, err := p.unpack(data)
		if err != nil {
			return err
		}
		p.hooks.Command(name, args)
	}
	return nil
}

// clear forgets what a tick has collected.
func (p *Playback) clear() {
	p.added, p.late, p.moved, p.calls = clearOf(p.added), clearOf(p.late), clearOf(p.moved), nil
	p.voices = clearOf(p.voices)
	clear(p.lateAt)
}

// clearOf returns an empty slice with the memory of s, and without its references.
func clearOf[T any](s []T) []T {
	clear(s)
	return s[:0]
}

// add puts a complete object into the world.
func (p *Playback) add(e *played) error {
	if err := p.hasBlock(e.object); err != nil {
		return err
	}
	if p.world.Add(e.object) == 0 {
		return errors.New("all object ids are used")
	}
	return p.group.Add(e.object)
}

// hasBlock checks that an object has the datablock that its class requires.
func (p *Playback) hasBlock(o sim.Object) error {
	class := o.Ident().Class()
	if class.DataBlock == "" {
		return nil
	}
	block := p.world.Find(class.Lookup("dataBlock").Get(o).Object())
	if block == nil || !block.Ident().Class().IsA(p.world.Classes().Lookup(class.DataBlock)) {
		return fmt.Errorf("%s: its datablock of class %s is missing", class.Name, class.DataBlock)
	}
	return nil
}

// idOf returns the id of an object of the recording, 0 if it is gone.
func (p *Playback) idOf(number uint64) sim.ID {
	if number > 1<<32-1 {
		return 0
	}
	if e := p.objects[uint32(number)]; e != nil && e.object.Ident().Alive() {
		return e.object.Ident().ID()
	}
	return 0
}

// Reset implements recording.Target.
func (p *Playback) Reset() {
	for _, id := range slices.Sorted(maps.Keys(p.objects)) { // scripts hear of each
		p.remove(p.objects[id])
	}
	clear(p.objects)
	p.clear()
	p.view = recording.View{}
	p.world.Blocks.Clear()
	p.world.Classes().ClearDeclared()
	p.hooks.Reset()
}

// View implements recording.Target.
func (p *Playback) View(v recording.View) { p.view = v }

// Eyes returns what the player who has recorded sees: from the eyes of which object, nil for none,
// whether in first person, and the field of view in degrees.
func (p *Playback) Eyes() (o sim.Object, firstPerson bool, fov int) {
	return p.world.Find(p.idOf(uint64(p.view.Object))), p.view.FirstPerson, p.view.FOV
}

// remove deletes an object that is in the world.
func (p *Playback) remove(e *played) {
	if !e.object.Ident().Alive() {
		return
	}
	p.hooks.Removed(e.object)
	if err := p.world.Delete(e.object); err != nil {
		panic("BUG: " + err.Error())
	}
}

// Class implements recording.Target.
func (p *Playback) Class(description []byte) error {
	p.reader.Reset(description)
	_, err := p.world.Classes().UnpackClass(&p.reader)
	return err
}

// Block implements recording.Target.
func (p *Playback) Block(description []byte) error {
	p.reader.Reset(description)
	_, err := p.world.Blocks.Unpack(&p.reader)
	return err
}

// Create implements recording.Target. The object comes into the world at the end of the tick, when
// it has its values.
func (p *Playback) Create(id uint32, number int) error {
	class := p.world.Classes().ByWire(number)
	if class == nil || class.Kind != sim.NetClass || class.Abstract {
		return fmt.Errorf("object %d has an unknown class", id)
	}
	o := p.world.Make(class)
	o.Ident().SetGhost(true)
	e := &played{object: o}
	e.moving, _ = o.(sim.Interpolator)
	p.objects[id] = e
	p.added = append(p.added, e)
	return nil
}

// Group implements recording.Target.
func (p *Playback) Group(id uint32, group int, v *recording.Values) error {
	e := p.objects[id]
	i := e.object.Ident()
	class := i.Class()
	if group >= class.Groups() || i.Dead() {
		return nil
	}
	if e.moving != nil && i.ID() != 0 && !e.moved {
		e.moved = true
		p.moved = append(p.moved, movedGhost{e, e.moving.Place()})
	}
	if code := class.Coder(group); code != nil {
		return p.decode(e.object, group, v, code)
	}
	if class.Refers(group) {
		p.setLate(lateGroup{e, group, slices.Clone(v.Cells), slices.Clone(v.Texts)})
	}
	return p.restore(e.object, group, v.Cells, v.Texts)
}

// setLate notes a group to be set again at the end of the tick.
func (p *Playback) setLate(g lateGroup) {
	key := lateKey{g.of, g.group}
	if i, has := p.lateAt[key]; has {
		p.late[i] = g
		return
	}
	p.lateAt[key] = len(p.late)
	p.late = append(p.late, g)
}

// restore sets the fields of a group. A reference to an object that is not in the world yet is
// none.
func (p *Playback) restore(o sim.Object, group int, cells []uint64, texts []string) error {
	class := o.Ident().Class()
	p.values.Cells, p.values.Texts = append(p.values.Cells[:0], cells...), texts
	for i, cell := range class.Cells(group) {
		if cell.Kind == sim.CellRef && i < len(cells) {
			p.values.Cells[i] = uint64(p.idOf(cells[i]))
		}
	}
	return class.Restore(o, group, &p.values)
}

// decode reads a hand-written group.
func (p *Playback) decode(o sim.Object, group int, v *recording.Values, code func(*sim.GroupCoder, sim.Object)) error {
	p.reader.Reset(v.Raw)
	code(&sim.GroupCoder{Codec: &p.reader.Codec, End: func(string) {}}, o)
	if err := p.reader.Err(); err != nil {
		return err
	}
	o.Ident().Mark(1 << group)
	return nil
}

// Delete implements recording.Target.
func (p *Playback) Delete(id uint32) {
	e := p.objects[id]
	delete(p.objects, id)
	e.gone = true
	p.remove(e)
}

// Command implements recording.Target. The command runs at the end of the tick.
func (p *Playback) Command(data []byte) error {
	if len(p.calls) == maxCalls {
		return fmt.Errorf("more than %d commands in a tick", maxCalls)
	}
	p.calls = append(p.calls, slices.Clone(data))
	return nil
}

// Voice implements recording.Target. The voice is heard at the end of the tick, when its player has
// moved.
func (p *Playback) Voice(v recording.Voice) {
	if len(p.voices) < recording.MaxVoices {
		v.Data = slices.Clone(v.Data)
		p.voices = append(p.voices, v)
	}
}
