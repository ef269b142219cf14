package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/seal"
)

// The events of voice. None of them waits for a tick: voice changes no world.

// speech is a frame of a client's voice on its way to the server.
type speech struct {
	voice.Spoken
	spare *spareSpeech
}

func (e *speech) KindID() event.KindID { return speechID }

func (e *speech) Serialize(s *event.Codec) { e.Spoken.Serialize(s.Codec) }

func (e *speech) Process(n *netcore.Conn) error {
	owner(n).host.Voices.take(owner(n), &e.Spoken)
	return nil
}

// Release keeps the event for the next frame, so that a flood of them allocates nothing.
func (e *speech) Release() {
	if e.spare != nil {
		e.spare.last = e
	}
}

// A spareSpeech keeps the last received frame.
type spareSpeech struct{ last *speech }

// take returns an event to read into.
func (s *spareSpeech) take() *speech {
	e := s.last
	if s.last = nil; e == nil {
		e = &speech{spare: s}
	}
	return e
}

// relayedVoice is a frame of a talker's voice on its way to a listener. Several connections have
// the same one, because writing it changes nothing.
//
//	16 talker | Spoken.SerializeRelayed
type relayedVoice struct {
	talker uint32
	voice.Spoken
}

func (e *relayedVoice) KindID() event.KindID { return voiceID }

func (e *relayedVoice) Serialize(s *event.Codec) {
	s.Uint(&e.talker, 16)
	e.SerializeRelayed(s.Codec)
}

func (e *relayedVoice) Process(n *netcore.Conn) error {
	owner(n).Voice().listen(e)
	return nil
}

// maxTalkerName is the longest name of a talker in bytes.
const maxTalkerName = 256

// A voiceState is what a server tells about voice besides the frames: who has a number among the
// talkers, or the rules. One kind has both, because an id of events then has four bits.
//
//	rules(1) | 0: talkerName | 1: VoiceRules
type voiceState struct {
	ruling bool
	rules  VoiceRules
	talker talkerName
}

func (e *voiceState) KindID() event.KindID { return voiceStateID }

func (e *voiceState) Serialize(s *event.Codec) {
	if s.Flag(&e.ruling) {
		e.rules.serialize(s)
	} else {
		e.talker.serialize(s)
	}
}

func (e *voiceState) Process(n *netcore.Conn) error {
	v := owner(n).Voice()
	if e.ruling {
		v.obey(e.rules)
	} else {
		v.learn(&e.talker)
	}
	return nil
}

// talkerName says who has a number among the talkers.
//
//	16 talker | var client | text(256) name | 64 mark | var ghost of the control object
type talkerName struct {
	talker uint32
	client uint64
	name   string
	mark   uint64
	object uint32
}

func (e *talkerName) serialize(s *event.Codec) {
	s.Uint(&e.talker, 16)
	s.Var(&e.client)
	s.Text(&e.name, maxTalkerName)
	s.Bits(&e.mark, 64)
	s.Object(&e.object)
}

// VoiceRules are what a server tells a client about voice. A client that was told nothing is at a
// server without voice: the zero value.
type VoiceRules struct {
	Mode     voice.Mode   // who hears whom; voice.Off: nobody hears anybody
	Channels uint8        // of this client: bit 1 << voice.Channel for each that it can talk on
	Permit   voice.Permit // why it cannot talk at all
	Recorded bool         // a journal, demos or spectators get what is said
	Demos    bool         // demos and spectators do
}

// serialize is the wire form of the rules.
//
//	ranged 0..4 mode | 4 channels | ranged 0..2 permit | 1 recorded | 1 demos
func (r *VoiceRules) serialize(s *event.Codec) {
	mode, permit, channels := int(r.Mode), int(r.Permit), uint32(r.Channels)
	s.Int(&mode, 0, len(voice.ModeNames)-1)
	s.Uint(&channels, int(voice.Channels))
	s.Int(&permit, 0, int(voice.Permits)-1)
	s.Flag(&r.Recorded)
	s.Flag(&r.Demos)
	r.Mode, r.Permit, r.Channels = voice.Mode(mode), voice.Permit(permit), uint8(channels)
}

// MayTalk reports whether the client can talk on a channel.
func (r VoiceRules) MayTalk(c voice.Channel) bool { return r.Channels>>c&1 != 0 }

// A Talker is a player whom this client hears.
type Talker struct {
	Number uint16 // of this server, for as long as the player talks now and then
	Client sim.ID // of the player at the server, as in client.id of mods
	Name   string // not cleaned
	// Mark is the first 8 bytes of SHA-256 of the server's key and the player's key. The player
	// keeps it when it comes back, so a program keeps its mutes by it. It does not tell the key.
	Mark seal.Mark
	// Object is the ghost of the player's control object on this side; 0: none is known.
	Object sim.ID
}

// A VoiceFrame is a frame that this client hears. Data belongs to the engine: copy it.
type VoiceFrame struct {
	Talker  Talker
	Channel voice.Channel
	Number  uint8 // counts in 20 ms, modulo 256; gaps are silence or losses
	Data    []byte
}

// Speech is a frame that this client says.
type Speech struct {
	Channel voice.Channel
	Range   voice.Range // of the channel voice.Proximity
	Data    []byte      // one Opus frame of 20 ms, 1…voice.MaxFrame bytes; it is copied
	Skipped int         // frames of silence before it that are not sent
}
