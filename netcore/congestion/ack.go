package congestion

// An Ack describes the packets whose fate one packet of the peer has revealed.
type Ack struct {
	Delivered, Lost           int // bytes, with HeaderBytes
	DeliveredCount, LostCount int // packets

	// If Timed is set, the newest packet of them was delivered. Sent is the time when it was sent,
	// Size its size, and Delay the time from its arrival to the peer's answer.
	Timed bool
	Sent  Time
	Size  int
	Delay Time

	newest int // size of the packet added last
}

// Add adds a packet. size includes HeaderBytes.
func (a *Ack) Add(delivered bool, size int) {
	a.newest = size
	if delivered {
		a.Delivered += size
		a.DeliveredCount++
		return
	}
	a.Lost += size
	a.LostCount++
}

// Time sets the times of the packet added last.
func (a *Ack) Time(sent, delay Time) { a.Timed, a.Sent, a.Size, a.Delay = true, sent, a.newest, delay }
