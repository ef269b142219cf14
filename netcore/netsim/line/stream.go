package line

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// stream fills every packet, or writes the same few bytes once per tick.
type stream struct {
	greedy bool
	ready  bool
}

const (
	tickBytes = 30 // per tick of a stream that is not greedy
	sizeBits  = 12
)

// Due implements netcore.Stream.
func (s *stream) Due(now netcore.Time) netcore.Time {
	if s.greedy || s.ready {
		return now
	}
	return netcore.Never
}

// Pack implements netcore.Stream.
func (s *stream) Pack(w *bitstream.Writer, _ netcore.Outgoing) bool {
	size := (w.Left() - sizeBits) / 8
	if !s.greedy {
		size = min(size, tickBytes)
		if !s.ready {
			size = 0
		}
		s.ready = false
	}
	size = max(size, 0)
	w.WriteBits(uint64(size), sizeBits)
	for range size {
		w.WriteBits(0x55, 8)
	}
	return size > 0
}

// Unpack implements netcore.Stream.
func (s *stream) Unpack(r *bitstream.Reader, _ netcore.Incoming) error {
	for n := r.ReadBits(sizeBits); n > 0; n-- {
		r.ReadBits(8)
	}
	return nil
}

// Notify implements netcore.Stream.
func (s *stream) Notify(netcore.Seq, bool) {}
