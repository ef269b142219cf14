package recording

import "fmt"

// A Target shows a recording. An error ends the playback.
type Target interface {
	// Reset begins a state: all objects, datablocks and declared classes are gone.
	Reset()
	Class(description []byte) error
	Block(description []byte) error
	Create(id uint32, class int) error
	// Group sets the values of a group. They are valid during the call.
	Group(id uint32, group int, v *Values) error
	Delete(id uint32)
	Command(data []byte) error
	// View sets what the player who records sees. A state without a view has none.
	View(v View)
	// Voice plays a frame of a player's voice. Its data is valid during the call.
	Voice(v Voice)
}

// A Player reads a recording, and plays it tick by tick. Its memory is bounded, whatever it reads.
type Player struct {
	received []byte
	chunks   []Chunk // complete ones
	unpacker unpacker
	rest     source // of the chunk being played
	size     int    // memory of the complete chunks in bytes
	newest   uint64 // the last tick of the chunks

	tick    uint64 // the newest played
	begun   bool
	objects map[uint32]*[maxGroups][]uint64 // cells by object and group
	total   int                             // cells
	values  Values
}

// maxWaiting is how many bytes a player keeps that wait to be played.
const maxWaiting = 4 * MaxChunk

// Write takes the next bytes of the recording.
func (p *Player) Write(b []byte) (n int, err error) {
	if p.size+len(p.received)+len(b) > maxWaiting {
		return 0, errTooLong
	}
	p.received = append(p.received, b...)
	for {
		c, n, err := parseChunk(p.received)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			return len(b), nil
		}
		p.received = p.received[n:]
		p.chunks = append(p.chunks, c)
		p.size, p.newest = p.size+c.memory(), c.Last
	}
}

// Waiting returns the number of ticks that wait to be played.
func (p *Player) Waiting() uint64 {
	if p.newest < p.tick {
		return 0
	}
	return p.newest - p.tick
}

// Tick returns the number of the newest played tick, 0 before the first.
func (p *Player) Tick() uint64 { return p.tick }

// Step plays the next tick, or a state and the tick that it is of. played is false if there is none
// yet.
func (p *Player) Step(to Target) (played bool, err error) {
	if len(p.rest.b) == 0 {
		if ok, err := p.open(); !ok || err != nil {
			return false, err
		}
	}
	for {
		kind := p.rest.number(entries - 1)
		if kind == entryTick {
			return true, p.endTick()
		}
		if err := p.entry(int(kind), to); err != nil {
			return false, err
		}
		if p.rest.bad || len(p.rest.b) == 0 { // a chunk ends with a tick
			return false, errDamaged
		}
	}
}

// endTick reads the number of the tick that is complete.
func (p *Player) endTick() error {
	past := p.rest.number(1 << 62)
	if p.tick += past; p.rest.bad || past == 0 || p.tick > 1<<62 {
		return errDamaged
	}
	return nil
}

// open opens the next chunk that is to be played: the first one must be a state, and a state of the
// tick that was played last is skipped.
func (p *Player) open() (ok bool, err error) {
	for len(p.chunks) > 0 {
		c := p.chunks[0]
		p.chunks, p.size = p.chunks[1:], p.size-c.memory()
		if c.State && p.begun && c.Last == p.tick {
			continue
		}
		if !c.State && (!p.begun || c.First != p.tick+1) {
			return false, errDamaged
		}
		entries, err := p.unpacker.unpack(&c)
		if err != nil || len(entries) == 0 {
			return false, errDamaged
		}
		p.rest = source{b: entries}
		p.begun = true
		if c.State {
			p.tick = 0
		}
		return true, nil
	}
	return false, nil
}

// entry plays an entry.
func (p *Player) entry(kind int, to Target) error {
	s := &p.rest
	switch kind {
	case entryReset:
		p.objects, p.total = map[uint32]*[maxGroups][]uint64{}, 0
		to.Reset()
	case entryClass:
		if d := s.data(); !s.bad {
			return to.Class(d)
		}
	case entryBlock:
		if d := s.data(); !s.bad {
			return to.Block(d)
		}
	case entryCommand:
		if d := s.data(); !s.bad {
			return to.Command(d)
		}
	case entryKeep:
		s.bytes(int(s.number(maxKey)))
		if d := s.data(); !s.bad {
			return to.Command(d)
		}
	case entryView:
		if v := s.view(); !s.bad {
			to.View(v)
		}
	case entryVoice:
		if v := s.voice(); !s.bad {
			to.Voice(v)
		}
	case entryCreate:
		return p.create(uint32(s.number(maxID)), int(s.number(1<<16)), to)
	case entryGroup:
		return p.group(uint32(s.number(maxID)), int(s.number(maxGroups-1)), to)
	case entryDelete:
		return p.delete(uint32(s.number(maxID)), to)
	}
	return nil
}

func (p *Player) create(id uint32, class int, to Target) error {
	if p.rest.bad || p.objects == nil || p.objects[id] != nil || len(p.objects) >= maxObjects {
		return errDamaged
	}
	p.objects[id] = new([maxGroups][]uint64)
	return to.Create(id, class)
}

func (p *Player) group(id uint32, group int, to Target) error {
	o := p.objects[id]
	if p.rest.bad || o == nil {
		return errDamaged
	}
	was := len(o[group])
	o[group] = p.rest.values(&p.values, o[group])
	if p.total += len(o[group]) - was; p.rest.bad {
		return errDamaged
	}
	if p.total > maxTotal {
		return fmt.Errorf("the recording has more than %d values", maxTotal)
	}
	return to.Group(id, group, &p.values)
}

func (p *Player) delete(id uint32, to Target) error {
	o := p.objects[id]
	if p.rest.bad || o == nil {
		return errDamaged
	}
	for _, cells := range o {
		p.total -= len(cells)
	}
	delete(p.objects, id)
	to.Delete(id)
	return nil
}
