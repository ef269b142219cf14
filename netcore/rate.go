package netcore

import (
	"errors"
	"fmt"
	"math"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// The range of rates that can be announced, and the default.
const (
	MinRate, MaxRate = 1, 125           // packets per second
	MinSize, MaxSize = 100, MaxDatagram // bytes
	DefaultPackets   = 31.25            // one per tick of 32 ms
)

// Rate limits one direction of a connection.
type Rate struct {
	Packets float64 // packets per second; 1..125 when announced to a peer
	Size    int     // bytes of UDP payload, header and tag included; 100..1200
}

// DefaultRate is the receive rate of a side that announces none.
var DefaultRate = Rate{DefaultPackets, MaxSize}

// Min returns the lower packet rate and the smaller size of two rates.
func (r Rate) Min(o Rate) Rate {
	return Rate{math.Min(r.Packets, o.Packets), min(r.Size, o.Size)}
}

// String formats the rate like "10/s x 200 B".
func (r Rate) String() string { return fmt.Sprintf("%g/s x %d B", r.Packets, r.Size) }

// withDefaults returns r with the zero fields replaced by those of d, limited to the valid range. The packet
// rate has no upper limit here, because only announcements have one.
func (r Rate) withDefaults(d Rate) Rate {
	if !(r.Packets > 0) { // also for NaN
		r.Packets = d.Packets
	}
	if r.Size == 0 {
		r.Size = d.Size
	}
	return Rate{max(r.Packets, MinRate), min(max(r.Size, MinSize), MaxSize)}
}

// Serialize is the wire form of an announcement, 21 bits:
//
//	10 bits  packets per second in eighths, 8..1000
//	11 bits  size in bytes, 100..1200
func (r *Rate) Serialize(s *bitstream.Codec) {
	if s.Reading() {
		if code := r.read(s); code == newKeyCode || code == newRouteCode {
			s.Fail(errRate)
		}
		return
	}
	eighths := int(math.Round(min(max(r.Packets, MinRate), MaxRate) * 8))
	size := min(max(r.Size, MinSize), MaxSize)
	s.Int(&eighths, MinRate*8, MaxRate*8)
	s.Int(&size, MinSize, MaxSize)
}

// packetsBits is the width of the packets per second in an announcement.
const packetsBits = 10

var errRate = errors.New("not a rate")

// read reads an announcement. It returns the code of its packets per second. If that is newKeyCode or
// newRouteCode, there is no rate.
func (r *Rate) read(s *bitstream.Codec) (code uint64) {
	s.Bits(&code, packetsBits)
	if code == newKeyCode || code == newRouteCode {
		return code
	}
	if code > (MaxRate-MinRate)*8 {
		s.Fail(errRate)
		return code
	}
	size := 0
	s.Int(&size, MinSize, MaxSize)
	if s.Err() == nil {
		r.Packets, r.Size = float64(code+MinRate*8)/8, size
	}
	return code
}
