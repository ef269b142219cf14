package engine

import (
	"net/netip"

	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/move"
)

// A profile is a named connection speed: a receive rate, and the number of packets that carry each
// move. A slow profile has several moves per packet. More copies of each then cost little, and
// protect against bursts of packet loss.
type profile struct {
	rate  netcore.Rate
	moves int
}

// AutoMoves is a value of Settings.Moves: as many packets carry each move as the loss of the line
// needs.
const AutoMoves = -1

var profiles = map[string]profile{
	"auto":  {netcore.Rate{Packets: netcore.Auto, Size: netcore.MaxDatagram}, AutoMoves},
	"modem": {netcore.Rate{Packets: 10, Size: 200}, 5},
	"dsl":   {netcore.Rate{Packets: 20, Size: 450}, AutoMoves},
	"lan":   {netcore.Rate{Packets: 31.25, Size: netcore.BaseDatagram}, AutoMoves},
}

// Settings are a host's console variables. A changed rate reaches the peers with the next packet.
// net.check is fixed when a connection begins.
type Settings struct {
	Rate      float64 // net.rate: packets per second that this side can receive; netcore.Auto is no limit
	Size      int     // net.size: bytes of UDP payload that it can receive
	MaxRate   float64 // sv.maxRate: highest send rate to one peer, in packets per second; netcore.Auto is no limit
	MaxSize   int     // sv.maxSize: largest packet to one peer, in bytes of UDP payload
	Bandwidth float64 // sv.bandwidth: highest rate to all peers together, in kbit/s with IP and UDP headers; 0: no limit
	Timeout   float64 // net.timeout: seconds without a packet that end a connection
	Check     bool    // net.check: markers in packets that locate a difference between the two sides
	Log       int     // net.log: 0…3
	Control   string  // net.control: when to send control state
	TimeScale float64 // sv.timeScale: game time per real time, 0.1…4
	Moves     int     // net.moves: packets that carry each move; 0: until acknowledged, or AutoMoves

	MaxWatchers int     // sv.maxWatchers: places for spectators, 0 for none
	WatchDelay  float64 // sv.watchDelay: seconds that spectators are behind

	Voice        string // sv.voice: who hears whom, one of voice.ModeNames
	VoiceJournal bool   // sv.voiceJournal: voice although a journal records it
	VoiceDemo    bool   // sv.voiceDemo: demos and spectators have voices

	AddressLimit int            // sv.addressLimit: connections of one address; its other limits scale with it
	AddressAllow []netip.Prefix // sv.addressAllow: addresses without limits by address

	LimitLoopback bool // net.limitLoopback: the limits by address apply to loopback addresses too
}

// DefaultSettings returns the defaults: as many packets as the line carries, each as large as the
// path carries, up to 1,400 bytes.
func DefaultSettings() Settings {
	return Settings{
		Rate: netcore.Auto, Size: netcore.MaxDatagram,
		MaxRate: 1250, MaxSize: netcore.MaxDatagram,
		Timeout: 45, Control: "mismatch", Moves: AutoMoves, TimeScale: 1, WatchDelay: 30, AddressLimit: 8, Voice: voice.Off.String(),
	}
}

// customProfile is the name of values that are those of no profile.
const customProfile = "custom"

// profile returns the name of the profile that has the values of the settings.
func (s *Settings) profile() string {
	for _, name := range []string{"auto", "modem", "dsl", "lan"} {
		p := profiles[name]
		if p.rate == (netcore.Rate{Packets: s.Rate, Size: s.Size}) && p.moves == s.Moves {
			return name
		}
	}
	return customProfile
}

// maxSend returns the highest send rate to one peer.
func (s *Settings) maxSend() netcore.Rate {
	return netcore.Rate{Packets: min(s.MaxRate, netcore.MaxRate), Size: s.MaxSize}
}

// copiesPerMove returns how many packets carry each move on a line with a packet loss, 0 for all
// until the acknowledgement.
func (s *Settings) copiesPerMove(loss float64) int {
	if s.Moves == AutoMoves {
		return move.CopiesFor(loss)
	}
	return s.Moves
}
