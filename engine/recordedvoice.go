package engine

import (
	"encoding/binary"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
)

// The voices of recordings. While sv.voiceDemo is on, every player is told that voices are
// recorded.

// recordingLine is the rate of the line that a recording stands for, in bits/s. Voices get the most
// that they get of any line.
const recordingLine = 1e6

// record records a frame for spectators and for a demo of the server. A recording is one more
// listener of the channels that are for everybody: it hears four talkers at a time, the loudest. It
// has no team, and no mod has named it.
func (v *Voices) record(t *talker, s *voice.Spoken) {
	h, near := v.host, s.Channel == voice.Proximity
	switch {
	case !h.Settings.VoiceDemo || len(h.Demos.recorders) == 0 || !near && s.Channel != voice.All:
		return
	case v.mode == voice.Custom || h.Pace.Paused():
		return
	}
	offer := voice.Offer{Talker: t.number, Owner: t.owner, Channel: voice.All, Level: t.intake.Level(), Size: int(s.Frame.Size)}
	if v.recorded.Admit(h.now, recordingLine, &offer) != voice.Kept {
		return
	}
	r := recording.Voice{
		Talker: t.number, Client: uint64(t.conn.ID()), Name: talkerNameOf(t.conn), Mark: t.mark,
		Object: mouthOf(t.conn).number, Channel: int(s.Channel), Number: s.Frame.Number, Data: s.Frame.Bytes(),
	}
	for _, to := range h.Demos.recorders {
		to.Voice(r, near)
	}
}

// record records a frame that this client hears in its demo, if the server lets it.
func (v *Voice) record(t *heardTalker, channel voice.Channel, f *voice.Frame) {
	if c := v.conn; v.rules.Demos || c.spectator {
		r := recording.Voice{
			Talker: uint32(t.Number), Client: uint64(t.Client), Name: t.Name, Mark: binary.LittleEndian.Uint64(t.Mark[:]),
			Channel: int(channel), Number: f.Number, Data: f.Bytes(),
		}
		c.host.Demos.demo.Heard(&c.Group, r, c.host.world.Find(t.Object))
	}
}

// recordedVoice plays a frame of a recording, unless its time passes faster or slower than that of
// the viewer.
func (w *Watching) recordedVoice(r *recording.Voice, object sim.ID) {
	c := w.conn
	if w.film != nil && w.film.Seeks() {
		return
	}
	if w.film != nil && c.Server.pace != 100 {
		w.forgetTalkers() // the numbers of their next frames can be any
		return
	}
	f, err := voice.NewFrame(r.Number, r.Data)
	if err != nil {
		return
	}
	t := c.Voice().known().meet(r.Talker, sim.ID(r.Client))
	t.Name, t.Object = r.Name, object
	binary.LittleEndian.PutUint64(t.Mark[:], r.Mark)
	c.Voice().play(t, voice.Channel(r.Channel), &f)
}

// forgetTalkers lets each talker begin with any number.
func (w *Watching) forgetTalkers() {
	if w.conn.voice != nil {
		w.conn.voice.heard = nil
	}
}
