package netcore

import (
	"errors"
	"fmt"
	"math"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// The range of rates that can be announced, and the default.
const (
	MinRate, MaxRate = 1, 5000          // packets per second
	MinSize, MaxSize = 100, MaxDatagram // bytes
	DefaultPackets   = 31.25            // one per tick of 32 ms
)

// Auto as the packets per second of a receive rate sets no limit. The sender finds the rate of the
// line.
const Auto = 1e6

// Rate limits one direction of a connection.
type Rate struct {
	Packets float64 // packets per second; 1..5000 or Auto when announced to a peer
	Size    int     // bytes of UDP payload, header and tag included; 100..1400
}

// DefaultRate is the receive rate of a side that announces none.
var DefaultRate = Rate{DefaultPackets, BaseDatagram}

// Min returns the lower packet rate and the smaller size of two rates.
func (r Rate) Min(o Rate) Rate {
	return Rate{math.Min(r.Packets, o.Packets), min(r.Size, o.Size)}
}

// String formats the rate like "10/s x 200 B".
func (r Rate) String() string {
	if r.auto() {
		return fmt.Sprintf("auto x %d B", r.Size)
	}
	return fmt.Sprintf("%g/s x %d B", r.Packets, r.Size)
}

func (r Rate) auto() bool { return r.Packets >= Auto }

// withDefaults returns r with the zero fields replaced by those of d, limited to the valid range.
// The packet rate has no upper limit here, because only announcements have one.
func (r Rate) withDefaults(d Rate) Rate {
	if !(r.Packets > 0) { // also for NaN
		r.Packets = d.Packets
	}
	if r.Size == 0 {
		r.Size = d.Size
	}
	return Rate{max(r.Packets, MinRate), min(max(r.Size, MinSize), MaxSize)}
}

// Serialize is the wire form of an announcement, 27 bits:
//
//	16 bits  0 for Auto, or packets per second in eighths, 8..40000, less 7
//	11 bits  size in bytes, 100..1400
func (r *Rate) Serialize(s *bitstream.Codec) {
	if s.Reading() {
		if code := r.read(s); code == newKeyCode || code == newRouteCode {
			s.Fail(errRate)
		}
		return
	}
	code := uint64(0)
	if !r.auto() {
		code = uint64(math.Round(min(max(r.Packets, MinRate), MaxRate)*8)) - eighthsBase
	}
	size := min(max(r.Size, MinSize), MaxSize)
	s.Bits(&code, packetsBits)
	s.Int(&size, MinSize, MaxSize)
}

const (
	packetsBits = 16            // width of the packets per second in an announcement
	eighthsBase = MinRate*8 - 1 // the eighths of a packet per second with the code 0
)

var errRate = errors.New("not a rate")

// read reads an announcement. It returns the code of its packets per second. If that is newKeyCode
// or newRouteCode, there is no rate.
func (r *Rate) read(s *bitstream.Codec) (code uint64) {
	s.Bits(&code, packetsBits)
	if code == newKeyCode || code == newRouteCode {
		return code
	}
	if code > MaxRate*8-eighthsBase {
		s.Fail(errRate)
		return code
	}
	size := 0
	s.Int(&size, MinSize, MaxSize)
	if s.Err() != nil {
		return code
	}
	r.Packets, r.Size = Auto, size
	if code > 0 {
		r.Packets = float64(code+eighthsBase) / 8
	}
	return code
}
