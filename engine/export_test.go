package engine

import (
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
)

// Kinds is the table of the engine's events, for tests that encode events by hand.
var Kinds = kinds

// Watched returns the sum, over all objects of a host, of the connections that have the object in
// scope.
func Watched(h *Host) (n int) {
	for _, m := range h.snapshots.objects {
		n += m.watchers
	}
	return n
}

// LayoutOf returns the wire layout of a host's class.
func LayoutOf(h *Host, class string) *ghost.Layout {
	classes := h.world.Classes()
	return h.snapshots.of(uint16(classes.WireID(classes.Lookup(class))))
}

// LooksFrom returns the control object from which a connection looks, or nil.
func LooksFrom(c *Connection) sim.Object { return c.Visible.camera.control }

// Steer runs the part of a tick that executes and makes moves.
func Steer(h *Host) { h.conns.steer() }

// Correct corrects the control object of a connection with the state it has received, before all
// waiting moves.
func Correct(c *Connection) {
	o := c.prediction.object
	state, n := c.refs.control().encode(o)
	first, _ := c.moves.Pending()
	c.prediction.adoptState(o, &move.Answer{State: true, At: first - 1, Bits: append(c.host.described.scratch[:0], state...), Len: n})
}

// MoveStats returns the statistics of the move stream.
func (c *Connection) MoveStats() move.Stats { return *c.moves.Stats() }

// NumbersFor returns the places for the updates of a ghost with a layout.
var NumbersFor = numbersFor

// RoleSpectator is the role of a spectator in the introduction.
const RoleSpectator = roleSpectator

// ReceiveRecording passes bytes of a recording to a connection, as from its peer.
func ReceiveRecording(c *Connection, data []byte) error { return c.Watching.receive(data) }

// WatchAhead is how many bytes wait to be sent to a spectator, without the newest piece of
// WatchPiece bytes.
const (
	WatchAhead = watchAhead
	WatchPiece = watchPiece
)

// ConfirmGhosts tells the peer that this side has the always-ghosts, whether it has them or not.
func ConfirmGhosts(c *Connection, seq uint32) { c.post(&phaseAnswer{answerGhosts, seq}, commands) }

// MaxTalkers and MaxUnknown bound what a client keeps of voices.
const (
	MaxTalkers = maxTalkers
	MaxUnknown = maxUnknown
)

// HasVoice reports whether a connection has state of voice.
func HasVoice(c *Connection) bool { return c.voice != nil }

// TalkStep runs the part of a tick that passes on voices.
func TalkStep(h *Host) { h.Voices.talk() }

// TalkerCount returns how many rows the table of voices has.
func TalkerCount(h *Host) int { return len(h.Voices.talkers) }

// HeardTalkers returns how many talkers a client knows.
func HeardTalkers(c *Connection) int { return len(c.voice.heard.order) }

// LearnTalker tells a client who a talker is, as its server does.
func LearnTalker(c *Connection, number uint32, name string) {
	c.Voice().learn(&talkerName{talker: number, client: uint64(number), name: name})
}

// Say sends a frame of a client that heeds no rules.
func Say(c *Connection, channel voice.Channel, number uint8) {
	f, _ := voice.NewFrame(number, []byte{9 << 3, 1})
	_ = c.events.Post(&speech{Spoken: voice.Spoken{Channel: channel, Frame: f}}, voicePost(c))
}

// ReceivedEvents returns how many events a connection has processed.
func ReceivedEvents(c *Connection) uint64 { return c.events.Stats().Received }

// HearFrame gives a client a frame, as its server does.
func HearFrame(c *Connection, talker uint32, number uint8, size int) {
	data := make([]byte, size)
	data[0] = 9 << 3
	f, _ := voice.NewFrame(number, data)
	c.Voice().listen(&relayedVoice{talker, voice.Spoken{Frame: f}})
}

// PostAnswer sends an answer to a form that the sender does not check.
func PostAnswer(c *Connection, a form.Answer) {
	_ = c.events.Post(&formEvent{use: formAnswer, answer: &a}, event.Post{})
}

// PostPiece sends a piece of a form.
func PostPiece(c *Connection, p *form.Piece) {
	_ = c.events.Post(&formEvent{use: formPiece, piece: p}, event.Post{})
}

// PostImage sends a piece of a picture.
func PostImage(c *Connection, p *picture.Piece) {
	_ = c.events.Post(&formEvent{use: formImage, image: p}, event.Post{Channel: bulk, Lane: pictureLane})
}

// PostElement sends a change of an element of the HUD that the sender does not check.
func PostElement(c *Connection, change *form.Change) {
	_ = c.events.Post(&formEvent{use: formElement, change: change}, event.Post{})
}

// PostForm sends the end of a form.
func PostForm(c *Connection) {
	_ = c.events.Post(&formEvent{use: formClosed, number: 1}, event.Post{})
}

// PostBind asks for a key that the sender does not check.
func PostBind(c *Connection, b Bind) {
	_ = c.events.Post(&formEvent{use: formBind, bind: &bindChange{b, true}}, event.Post{})
}

// TalkerNameOf returns the name of a talker for its listeners.
func TalkerNameOf(name string) string { return talkerNameOf(&Connection{PlayerName: name}) }
