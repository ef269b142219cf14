package voice

import "slices"

// A Mode is who can hear voices on a server: the value of sv.voice.
type Mode uint8

// The modes. Each allows the channels of the one before, but Custom has its own audience.
const (
	Off    Mode = iota
	Near        // the channel Proximity
	Teams       // and Team
	Public      // and All
	Custom      // a mod decides about every channel
)

// ModeNames are the names of the modes, by mode.
var ModeNames = [...]string{"off", "proximity", "team", "all", "mod"}

func (m Mode) String() string { return ModeNames[m] }

// ModeOf returns the mode with a name: Off for any other.
func ModeOf(name string) Mode { return Mode(max(0, slices.Index(ModeNames[:], name))) }

// A Channel is whom a talker means to reach.
type Channel uint8

// The channels.
const (
	Proximity Channel = iota // players near the talker
	Team                     // the talker's team, as over a radio
	All                      // everybody in the game
	Own                      // of a mod: onVoice says who
	Channels
)

var channelNames = [Channels]string{"proximity", "team", "all", "mod"}

func (c Channel) String() string { return channelNames[c&3] }

// Allowed returns the channels of a mode: bit 1 << Channel for each.
func (m Mode) Allowed() uint8 {
	return [...]uint8{0, 1 << Proximity, 1<<Proximity | 1<<Team, 1<<Proximity | 1<<Team | 1<<All, 1<<Channels - 1}[m]
}

// Allows reports whether frames of a channel are heard.
func (m Mode) Allows(c Channel) bool { return m.Allowed()>>c&1 != 0 }

// A Range is how far a voice of the channel Proximity carries.
type Range uint8

// The ranges.
const (
	Whisper Range = iota
	Talk
	Shout
	Ranges
)

// Farthest is the longest range in metres.
const Farthest = 20

// Metres returns the range in metres. A range that does not exist is that of Talk.
func (r Range) Metres() float32 {
	switch r {
	case Whisper:
		return 4
	case Shout:
		return Farthest
	}
	return 10
}

// A Permit says whether a client can talk.
type Permit uint8

// The permits.
const (
	May      Permit = iota
	Muted           // by the operator
	Roleless        // without the role that talkers need
	Permits
)
