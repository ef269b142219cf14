package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore/event"
)

const (
	voiceLane   = 1<<16 - 1             // of the events: that of no mod
	voiceLife   = 60 * time.Millisecond // of an event, if the packets are not rarer
	voiceRecent = time.Second           // of the rates in figures
	rulesEvery  = 32                    // ticks between two looks at who may talk
)

// Voices are the voices of a host. A frame goes into the table of its talker when it arrives, and
// to the listeners at the end of the tick: so it shares their packets with the ghosts. While voice
// is off, a tick costs one comparison.
type Voices struct {
	host    *Host
	mode    voice.Mode // in force
	spare   spareSpeech
	talkers []*talker      // in the order of their first frames
	next    uint32         // number of the next talker
	pairs   []voice.Spoken // of the last tick
	// recorded are the talkers of the recordings.
	recorded voice.Hearing
	in, out  rate.Recent
	figures  VoiceFigures
}

// VoiceFigures count the voices of a server.
type VoiceFigures struct {
	Received  uint64              // frames of talkers that counted
	Sent      uint64              // frames to listeners, without repetitions
	SentBytes uint64              // of Opus to listeners, with repetitions
	Dropped   [voice.Drops]uint64 // frames, by reason; those of listeners count for each of them
}

// Mode returns who hears whom: off also while a journal forbids voice.
func (v *Voices) Mode() voice.Mode { return v.mode }

// configure takes over the settings.
func (v *Voices) configure() {
	s := &v.host.Settings
	was := v.mode
	if v.mode = voice.ModeOf(s.Voice); v.host.cfg.Journaled && !s.VoiceJournal {
		v.mode = voice.Off
	}
	if !v.host.cfg.Server || was == voice.Off && v.mode == voice.Off {
		return
	}
	for _, t := range v.talkers {
		t.audiences = [voice.Channels]audience{}
	}
	for _, c := range v.host.conns {
		v.tell(c)
	}
	if v.mode == voice.Off {
		v.forgetAll()
	}
}

// onSet applies the settings after the setting of voice has been set, and warns if voice stays off.
func (v *Voices) onSet(setting console.VarValue) console.VarValue {
	return console.Hook(setting, func() error { v.host.Apply(); v.warnOfJournal(); return nil })
}

// warnOfJournal says why voice is off although it is set.
func (v *Voices) warnOfJournal() {
	if v.host.cfg.Journaled && voice.ModeOf(v.host.Settings.Voice) != voice.Off && !v.host.Settings.VoiceJournal {
		v.host.cfg.Log.Warn("voice stays off, because the journal of this server would record it: sv.voiceJournal true allows that, and tells every player")
	}
}

// rulesFor returns what a client can do.
func (v *Voices) rulesFor(c *Connection) VoiceRules {
	if v.mode == voice.Off {
		return VoiceRules{}
	}
	demos := v.host.Settings.VoiceDemo
	r := VoiceRules{Mode: v.mode, Permit: v.permit(c), Recorded: v.host.cfg.Journaled || demos, Demos: demos}
	if r.Permit == voice.May {
		r.Channels = v.mode.Allowed()
	}
	return r
}

// permit says whether a client can talk.
func (v *Voices) permit(c *Connection) voice.Permit {
	if v.host.cfg.MayTalk == nil {
		return voice.May
	}
	return v.host.cfg.MayTalk(c)
}

// plays reports whether a connection is that of a player in the game.
func (v *Voices) plays(c *Connection) bool {
	return c.inbound && !c.bot && !c.spectator && c.Join.phase == PhaseGame && !c.over()
}

// tell tells a client its rules, if they have changed. A client learns nothing while voice was
// never on.
func (v *Voices) tell(c *Connection) {
	if !v.plays(c) {
		return
	}
	if r := v.rulesFor(c); r != c.Voice().rules {
		c.Voice().rules = r
		c.post(&voiceState{ruling: true, rules: r}, commands)
	}
}

// talk passes on the voices of this tick, and sends what the program of a client says.
func (v *Voices) talk() {
	v.step()
	if v.host.cfg.Speak == nil {
		return
	}
	if c := v.host.Server(); c != nil {
		c.Voice().speak()
	}
}

// step is the part of a server in talk.
func (v *Voices) step() {
	if !canServe || v.mode == voice.Off {
		return
	}
	for _, c := range v.host.conns {
		if (v.host.tick+uint64(c.ID()))%rulesEvery == 0 || c.Voice().rules.Mode != v.mode {
			v.tell(c)
		}
	}
	v.relayAll()
}

// take takes a frame of a client.
func (v *Voices) take(c *Connection, s *voice.Spoken) {
	if !canServe || !c.inbound {
		return
	}
	if !v.mode.Allows(s.Channel) || !v.plays(c) || v.mode == voice.Off {
		v.drop(voice.Unheard)
		return
	}
	if v.permit(c) != voice.May {
		v.tell(c)
		v.drop(voice.Unheard)
		return
	}
	t := c.Voice().talker
	if t == nil {
		t = v.add(c)
	}
	now := v.host.now
	if s.Before.Size > 0 && t.intake.Missing(now, &s.Before) {
		v.keep(t, voice.Spoken{Channel: s.Channel, Range: s.Range, Frame: s.Before})
	}
	if !t.intake.Repeats(now, &s.Frame) {
		v.keep(t, voice.Spoken{Channel: s.Channel, Range: s.Range, Frame: s.Frame})
	}
}

// keep keeps a frame for the end of the tick, if the talker's budget allows it.
func (v *Voices) keep(t *talker, s voice.Spoken) {
	if why := t.intake.Take(v.host.now, &s.Frame); why != voice.Kept {
		v.drop(why)
		return
	}
	t.pending = append(t.pending, s)
	t.bytes += uint64(s.Frame.Size)
	t.recent.Add(v.host.now, voiceRecent, float64(s.Frame.Size))
	v.in.Add(v.host.now, voiceRecent, float64(s.Frame.Size))
	v.figures.Received++
}

func (v *Voices) drop(why voice.Drop) { v.figures.Dropped[why]++ }

// add makes a talker of a client. Its number is one that no other talker has, and that none had for
// a long time: a listener can still get frames of an older talker.
func (v *Voices) add(c *Connection) *talker {
	used := func() bool {
		for _, t := range v.talkers {
			if t.number == v.next {
				return true
			}
		}
		return false
	}
	for used() {
		v.next = (v.next + 1) & (1<<16 - 1)
	}
	t := newTalker(c, v.next)
	v.next = (v.next + 1) & (1<<16 - 1)
	v.talkers, c.Voice().talker = append(v.talkers, t), t
	return t
}

// relayAll sends the frames of this tick to their listeners, and forgets talkers that are silent.
func (v *Voices) relayAll() {
	lossy := slices.ContainsFunc(v.host.conns, func(c *Connection) bool { return voice.Repeats(c.Line.Loss()) })
	kept := v.talkers[:0]
	for _, t := range v.talkers {
		if t.conn.over() || t.intake.Silent(v.host.now, talkerStays) {
			t.conn.Voice().talker = nil
			continue
		}
		kept = append(kept, t)
		if lossy {
			v.pairs = voice.Pairs(v.pairs[:0], t.last)
			for i := range v.pairs {
				v.repeat(t, &v.pairs[i])
			}
		}
		v.pairs = voice.Pairs(v.pairs[:0], t.pending) // an event less, as often as a tick has two frames
		for i := range v.pairs {
			v.relay(t, &v.pairs[i])
		}
		for i := range t.pending {
			v.record(t, &t.pending[i])
		}
		t.pending, t.last = t.last[:0], t.pending
	}
	clear(v.talkers[len(kept):])
	v.talkers = kept
}

func (v *Voices) forgetAll() {
	for _, t := range v.talkers {
		t.conn.Voice().talker = nil
	}
	v.talkers = nil
}

// hear calls a function for each listener of a frame.
func (v *Voices) hear(t *talker, s *voice.Spoken, f func(l *listener)) (some bool) {
	list := t.audience(s.Channel)
	near := s.Channel == voice.Proximity && v.mode != voice.Custom
	for i := range list {
		if l := &list[i]; !l.conn.over() && (!near || l.distance <= s.Range.Metres()) {
			f(l)
		}
	}
	return len(list) > 0
}

// relay sends a frame, or two, to the listeners.
func (v *Voices) relay(t *talker, s *voice.Spoken) {
	var e *relayedVoice // made for the first listener
	some := v.hear(t, s, func(l *listener) {
		offer := voice.Offer{Talker: t.number, Owner: t.owner, Channel: s.Channel, Distance: l.distance, Level: t.intake.Level(), Size: s.Bytes()}
		if why := l.conn.Voice().hears().Admit(v.host.now, l.conn.net.Capacity(), &offer); why != voice.Kept {
			v.figures.Dropped[why] += s.Frames()
			return
		}
		if e == nil {
			e = &relayedVoice{t.number, *s}
		}
		if v.send(t, l, e) {
			v.figures.Sent += s.Frames()
		}
	})
	if !some {
		v.figures.Dropped[voice.Unheard] += s.Frames()
	}
}

// repeat sends frames of the last tick once more to listeners whose lines lose packets and have
// room.
func (v *Voices) repeat(t *talker, s *voice.Spoken) {
	var e *relayedVoice
	v.hear(t, s, func(l *listener) {
		if !voice.Repeats(l.conn.net.Loss()) || !l.conn.Voice().hears().Again(v.host.now, l.conn.net.Capacity(), t.number, s.Bytes()) {
			return
		}
		if e == nil {
			e = &relayedVoice{t.number, *s}
		}
		v.send(t, l, e)
	})
}

// send sends a frame, or two, to a listener, who knows the talker's name by then. It reports
// whether the line takes more.
func (v *Voices) send(t *talker, l *listener, e *relayedVoice) bool {
	t.introduce(l.conn)
	if err := l.conn.events.Post(e, voicePost(l.conn)); err != nil {
		return false // its lane is full: the line carries nothing
	}
	bytes := uint64(e.Bytes())
	v.out.Add(v.host.now, voiceRecent, float64(bytes))
	v.figures.SentBytes += bytes
	return true
}

// voicePost is how a frame is sent: behind everything of the same priority, and only while it is
// worth something.
func voicePost(c *Connection) event.Post {
	return event.Post{Guarantee: event.Unguaranteed, Lane: voiceLane, Life: max(voiceLife, 2*c.net.SendInterval()), Now: c.host.now}
}

// Figures returns what was counted so far.
func (v *Voices) Figures() VoiceFigures { return v.figures }

// Bytes returns the bytes that a client has said since it began to talk, if it talks.
func (v *Voices) Bytes(c *Connection) (bytes uint64, talks bool) {
	if c.voice == nil || c.voice.talker == nil {
		return 0, false
	}
	return c.voice.talker.bytes, true
}

// VoiceStatus is what the command status shows of voice.
type VoiceStatus struct {
	Mode     string  `json:"mode"`
	Talkers  int     `json:"talkers"` // in the last second
	In       float64 `json:"in_bytes_per_s"`
	Out      float64 `json:"out_bytes_per_s"`
	Recorded bool    `json:"recorded"` // by a journal
	Demos    bool    `json:"demos"`    // recorded in demos and for spectators
}

// String returns the line of the command status.
func (s *VoiceStatus) String() string {
	text := fmt.Sprintf("voice %s, %d talking, in %.1f kB/s, out %.1f kB/s", s.Mode, s.Talkers, s.In/1000, s.Out/1000)
	if s.Recorded {
		text += ", recorded by the journal"
	}
	if s.Demos {
		text += ", recorded for demos and spectators"
	}
	return text
}

// Status returns what the command status shows; nil without voice.
func (v *Voices) Status() *VoiceStatus {
	if v.mode == voice.Off {
		return nil
	}
	s := &VoiceStatus{Mode: v.mode.String(), In: v.in.Count(v.host.now, voiceRecent), Out: v.out.Count(v.host.now, voiceRecent), Recorded: v.host.cfg.Journaled, Demos: v.host.Settings.VoiceDemo}
	for _, t := range v.talkers {
		if !t.intake.Silent(v.host.now, voiceRecent) {
			s.Talkers++
		}
	}
	return s
}

// talkerStatus is a line of the command voice.
type talkerStatus struct {
	ID     sim.ID  `json:"id"`
	Name   string  `json:"name"`
	Now    bool    `json:"speaking"`
	Rate   float64 `json:"bytes_per_s"`
	Spoken uint64  `json:"bytes"`
}

type talkerList []talkerStatus

// String returns ID NAME speaking|silent B/S, one line for each talker.
func (l talkerList) String() string {
	if len(l) == 0 {
		return "nobody has talked lately"
	}
	lines := make([]string, len(l))
	for i, t := range l {
		state := "silent"
		if t.Now {
			state = "speaking"
		}
		lines[i] = fmt.Sprintf("%d %s %s %.0f B/s", t.ID, playerName(t.Name), state, t.Rate)
	}
	return strings.Join(lines, "\n")
}

// report lists the talkers: of a server those who talk to others, of a client those whom it hears.
func (v *Voices) report() (fmt.Stringer, error) {
	list, now := talkerList{}, v.host.now
	for _, t := range v.talkers {
		list = append(list, talkerStatus{t.conn.ID(), console.Clean(t.conn.PlayerName), !t.intake.Silent(now, speaksFor), t.recent.Count(now, voiceRecent), t.bytes})
	}
	if c := v.host.Server(); c != nil {
		for _, t := range c.Voice().heard.list() {
			list = append(list, talkerStatus{t.Client, console.Clean(t.Name), !t.intake.Silent(now, speaksFor), t.recent.Count(now, voiceRecent), t.bytes})
		}
	}
	return list, nil
}
