package engine

import (
	"encoding/binary"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/internal/rate"
)

const (
	maxTalkers = 1024 // whom a client knows; a further one replaces the one that is silent longest
	maxUnknown = 4    // frames that wait for the name of their talker, which the same packet can have
	maxSpeech  = 10   // frames of this client in a tick
)

// A Voice is the part of a connection in voices.
type Voice struct {
	conn    *Connection
	talker  *talker        // the client talks; nil: not lately
	hearing *voice.Hearing // whom the client hears; nil: nobody yet
	heard   *heard         // on the client side; nil: nobody yet
	rules   VoiceRules     // that the client was told
}

// Voice returns the part of the connection in voices.
func (c *Connection) Voice() *Voice {
	if c.voice == nil {
		c.voice = &Voice{conn: c}
	}
	return c.voice
}

// hears returns the talkers of this listener.
func (v *Voice) hears() *voice.Hearing {
	if v.hearing == nil {
		v.hearing = new(voice.Hearing)
	}
	return v.hearing
}

// Rules returns what the server of this connection allows.
func (v *Voice) Rules() VoiceRules { return v.rules }

// heard is what a client knows of voices.
type heard struct {
	talkers map[uint32]*heardTalker
	order   []*heardTalker  // in the order of their names
	unknown []*relayedVoice // frames of talkers without a name
	said    uint8           // number of the last frame of this client
	last    []voice.Spoken  // that this client said in the last tick
}

// heardTalker is a talker of the server as its client knows it.
type heardTalker struct {
	Talker
	token  uint32 // of its object's ghost
	intake voice.Intake
	recent rate.Recent
	bytes  uint64
}

// known returns what the client knows.
func (v *Voice) known() *heard {
	if v.heard == nil {
		v.heard = &heard{talkers: map[uint32]*heardTalker{}}
	}
	return v.heard
}

// list returns the talkers in the order of their names.
func (h *heard) list() []*heardTalker {
	if h == nil {
		return nil
	}
	return h.order
}

// obey takes over the rules of the server.
func (v *Voice) obey(r VoiceRules) {
	v.rules = r
	if f := v.conn.host.cfg.VoiceRules; f != nil {
		f(v.conn, r)
	}
}

// learn learns who a talker is, and passes on its frames that came before.
func (v *Voice) learn(e *talkerName) {
	h := v.known()
	t := h.meet(e.talker, sim.ID(e.client))
	t.Name, t.token = e.name, e.object
	binary.LittleEndian.PutUint64(t.Mark[:], e.mark)
	waiting := h.unknown
	h.unknown = nil
	for _, e := range waiting {
		v.listen(e)
	}
}

// meet returns the talker of a number: a new one if a client is not the one that had it.
func (h *heard) meet(number uint32, client sim.ID) *heardTalker {
	t := h.talkers[number]
	if t == nil || t.Client != client {
		h.forget(t)
		if len(h.order) >= maxTalkers {
			h.forget(h.silent())
		}
		t = new(heardTalker)
		t.Number, t.Client = uint16(number), client
		h.talkers[number], h.order = t, append(h.order, t)
	}
	return t
}

// silent returns the talker that is silent longest.
func (h *heard) silent() *heardTalker {
	best := h.order[0]
	for _, t := range h.order {
		if t.intake.Before(&best.intake) {
			best = t
		}
	}
	return best
}

func (h *heard) forget(t *heardTalker) {
	if t == nil {
		return
	}
	delete(h.talkers, uint32(t.Number))
	kept := h.order[:0]
	for _, other := range h.order {
		if other != t {
			kept = append(kept, other)
		}
	}
	h.order = kept
}

// listen takes a frame of a talker.
func (v *Voice) listen(e *relayedVoice) {
	if v.conn.inbound {
		return
	}
	h, host := v.known(), v.conn.host
	t := h.talkers[e.talker]
	if t == nil {
		if h.unknown = append(h.unknown, e); len(h.unknown) > maxUnknown {
			h.unknown = h.unknown[1:]
			host.Voices.drop(voice.Unknown)
		}
		return
	}
	t.Object = v.conn.PeerGhosts.idOf(t.token)
	if e.Before.Size > 0 && t.intake.Missing(host.now, &e.Before) {
		v.play(t, e.Channel, &e.Before)
	}
	if !t.intake.Repeats(host.now, &e.Frame) {
		v.play(t, e.Channel, &e.Frame)
	}
}

// play passes a frame to the program. Frames out of order, or beyond the budget of an honest
// server's talker, do not get there: a hostile server must not keep a decoder busy.
func (v *Voice) play(t *heardTalker, channel voice.Channel, f *voice.Frame) {
	host := v.conn.host
	if why := t.intake.Take(host.now, f); why != voice.Kept {
		host.Voices.drop(why)
		return
	}
	host.Voices.figures.Received++
	t.bytes += uint64(f.Size)
	t.recent.Add(host.now, voiceRecent, float64(f.Size))
	v.record(t, channel, f)
	if host.cfg.Heard != nil {
		host.cfg.Heard(VoiceFrame{t.Talker, channel, f.Number, f.Bytes()})
	}
}

// speak sends what the program says in this tick. On a line with losses, it first sends what it
// said in the last tick: a packet has the frames of a tick, so only another packet saves them all.
func (v *Voice) speak() {
	c := v.conn
	if v.rules.Channels == 0 || c.over() {
		return
	}
	h := v.known()
	if voice.Repeats(c.net.Loss()) {
		for _, s := range voice.Pairs(nil, h.last) {
			_ = c.events.Post(&speech{Spoken: s}, voicePost(c)) // a full lane carries nothing
		}
	}
	h.last = h.last[:0]
	for i, s := range c.host.cfg.Speak() {
		if i == maxSpeech {
			return
		}
		v.say(s)
	}
}

// say sends a frame.
func (v *Voice) say(s Speech) {
	h, host := v.known(), v.conn.host
	h.said += 1 + uint8(min(max(s.Skipped, 0), 100))
	f, err := voice.NewFrame(h.said, s.Data)
	if err != nil || !v.rules.MayTalk(s.Channel) {
		host.Voices.drop(voice.Unheard)
		return
	}
	e := &speech{Spoken: voice.Spoken{Channel: s.Channel, Range: s.Range, Frame: f}}
	h.last = append(h.last, e.Spoken)
	if v.conn.events.Post(e, voicePost(v.conn)) == nil {
		host.Voices.figures.Sent++
	}
}
