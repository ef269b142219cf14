package line

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// stream fills every packet, or writes some bytes per tick.
type stream struct {
	conn    *netcore.Conn
	greedy  bool
	perTick int // bytes
	owed    int // bytes of this tick

	asked, sent int // bytes so far, unless it is greedy
}

const (
	tickBytes = 30 // per tick of most streams that are not greedy
	sizeBits  = 12
)

// tick gives a stream the bytes of a tick. It drops what it has not sent.
func (s *stream) tick() {
	s.owed = s.perTick
	s.asked += s.perTick
}

// Due implements netcore.Stream.
func (s *stream) Due(now netcore.Time) netcore.Time {
	if s.greedy || s.owed > 0 {
		return now
	}
	return netcore.Never
}

// Pack implements netcore.Stream.
func (s *stream) Pack(w *bitstream.Writer, _ netcore.Outgoing) bool {
	size := (w.Left() - sizeBits) / 8
	if !s.greedy {
		size = min(size, s.owed)
		s.owed -= max(size, 0)
		s.sent += max(size, 0)
	}
	size = max(size, 0)
	w.WriteBits(uint64(size), sizeBits)
	for left := 8 * size; left > 0; left -= 64 {
		w.WriteBits(0x55, min(left, 64))
	}
	return size > 0
}

// Unpack implements netcore.Stream.
func (s *stream) Unpack(r *bitstream.Reader, _ netcore.Incoming) error {
	for left := 8 * int(r.ReadBits(sizeBits)); left > 0; left -= 64 {
		r.ReadBits(min(left, 64))
	}
	return nil
}

// Notify implements netcore.Stream.
func (s *stream) Notify(netcore.Seq, bool) {}
