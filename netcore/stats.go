package netcore

// Stats counts what happened on a connection since it began. Bits and bytes
// are of UDP payload.
type Stats struct {
	Sent, SentBytes         uint64 // data packets
	Received, ReceivedBytes uint64 // data packets processed
	ControlSent             uint64
	ControlReceived         uint64

	Delivered, Dropped uint64 // fates of our data packets

	Held   uint64 // packets that waited behind a gap
	Late   uint64 // arrived after their verdict, or twice; dropped unread
	Forged uint64 // not the peer's, damaged or not packets at all; dropped

	HeaderBits uint64 // of the data packets sent: clear bits and sealed header

	loss float64
}

// lossWeight is the share of the newest fate in the loss.
const lossWeight = 1. / 64

func (s *Stats) fate(delivered bool) {
	lost := 0.
	if delivered {
		s.Delivered++
	} else {
		s.Dropped++
		lost = 1
	}
	s.loss += float64((lost - s.loss) * lossWeight)
}
