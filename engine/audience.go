package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
)

// audienceAge is for how many ticks an audience holds.
const audienceAge = 8

// An audience is who may hear a talker on a channel. Nobody else is sent anything, so no changed
// client can listen.
type audience struct {
	known     bool
	tick      uint64 // of the search
	listeners []listener
}

// A listener is a connection in an audience.
type listener struct {
	conn     *Connection
	distance float32 // metres; voice.Farthest if it is not known
}

// audience returns who may hear the talker on a channel. It searches at most once in audienceAge
// ticks for each channel, so a talker who changes the channel with each frame costs no more.
func (t *talker) audience(channel voice.Channel) []listener {
	v, a := &t.conn.host.Voices, &t.audiences[channel]
	now := v.host.tick
	if a.known && now-a.tick < audienceAge {
		return a.listeners
	}
	if v.mode == voice.Custom && (v.host.scripts.Busy() || v.host.scripts.OverShare(t.conn) || v.host.Pace.Paused()) {
		return a.listeners // scripts cannot be asked now
	}
	a.known, a.tick = true, now
	clear(a.listeners)
	a.listeners = a.listeners[:0]
	if v.mode == voice.Custom {
		a.ask(t, channel)
		return a.listeners
	}
	mouth, team := mouthOf(t.conn), teamOf(t.conn)
	for _, c := range v.host.conns {
		if c == t.conn || !v.plays(c) {
			continue
		}
		d := mouth.distance(c)
		hears := channel == voice.All || channel == voice.Team && team != 0 && team == teamOf(c) ||
			channel == voice.Proximity && d <= voice.Farthest && c.Visible.in.has(mouth.number)
		if hears {
			a.listeners = append(a.listeners, listener{c, d})
		}
	}
	return a.listeners
}

// ask asks the mods.
func (a *audience) ask(t *talker, channel voice.Channel) {
	v := &t.conn.host.Voices
	mouth := mouthOf(t.conn)
	for _, id := range v.host.scripts.VoiceAudience(t.conn, channel.String()) {
		if c := v.host.Connection(id); c != nil && c != t.conn && v.plays(c) && !a.has(c) {
			a.listeners = append(a.listeners, listener{c, mouth.distance(c)})
		}
	}
}

func (a *audience) has(c *Connection) bool {
	for i := range a.listeners {
		if a.listeners[i].conn == c {
			return true
		}
	}
	return false
}

// A mouth is where a talker talks. Number 0: nowhere.
type mouth struct {
	number uint32
	at     point
}

// mouthOf returns the place of a client's control object.
func mouthOf(c *Connection) mouth {
	o := c.Control.Object()
	placed, ok := o.(sim.Placer)
	if o == nil || !ok || o.Ident().Number() == 0 {
		return mouth{}
	}
	return mouth{o.Ident().Number(), pointOf(placed.Place().Position)}
}

// distance returns how far a listener is, in metres. Without a place it is as far as voices carry.
func (m mouth) distance(c *Connection) float32 {
	if m.number == 0 || !c.Visible.camera.on {
		return voice.Farthest
	}
	return root(m.at.sub(c.Visible.camera.at).square())
}

// teamOf returns the team of a client's control object; 0 is none.
func teamOf(c *Connection) int {
	if o, ok := c.Control.Object().(interface{ Team() int }); ok {
		return o.Team()
	}
	return 0
}
