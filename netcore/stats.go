package netcore

// Stats counts the traffic of a connection since its start. Bits and bytes are of UDP payload.
type Stats struct {
	Sent, SentBytes         uint64 // data packets
	Received, ReceivedBytes uint64 // data packets processed
	ControlSent             uint64
	ControlReceived         uint64

	Delivered, Dropped uint64 // data packets sent, by fate

	Held    uint64 // packets that waited behind a gap
	Late    uint64 // packets that arrived after their verdict, or twice; dropped unread
	Refused uint64 // data packets that got the verdict lost, because a stream was blocked
	Forged  uint64 // packets that were forged, damaged or malformed; dropped

	HeaderBits uint64 // of the data packets sent: clear bits and encrypted header

	loss float64
}

// lossWeight is the weight of the newest packet in the loss average.
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
