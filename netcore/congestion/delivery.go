package congestion

import "time"

const (
	arrivalTime = 100 * time.Millisecond // the least time over which an arrival rate is measured
	sampleTime  = arrivalTime / 8        // between two samples: those kept must last for longer than arrivalTime
)

// deliveryModel measures the rate at which packets arrive at the peer. The times of arrival are
// those of the acks, less the delay of the peer's answer. All of them are later by the way back.
type deliveryModel struct {
	delivered, lost int // bytes so far
	recent          [16]deliverySample
	n               int // samples so far
}

type deliverySample struct {
	at              Time
	delivered, lost int
}

// count adds the packets of an ack.
func (d *deliveryModel) count(a Ack) {
	d.delivered += a.Delivered
	d.lost += a.Lost
}

// sample records that the packets counted so far have arrived at a time. On a fast line acks come
// every few milliseconds: the newest sample then replaces the one before.
func (d *deliveryModel) sample(at Time) {
	if d.n >= 2 && at-d.recent[(d.n-2)%len(d.recent)].at < sampleTime {
		d.n--
	}
	d.recent[d.n%len(d.recent)] = deliverySample{at, d.delivered, d.lost}
	d.n++
}

// rate returns the arrival rate in bytes per second, 0 if it is unknown.
func (d *deliveryModel) rate() float64 {
	arrived, _ := d.rates()
	return arrived
}

// settledRate returns the rate of the packets that have arrived or got lost.
func (d *deliveryModel) settledRate() float64 {
	arrived, lost := d.rates()
	return arrived + lost
}

// rates measures over the newest samples: at least three, and at least arrivalTime.
func (d *deliveryModel) rates() (arrived, lost float64) {
	if d.n == 0 {
		return 0, 0
	}
	end := &d.recent[(d.n-1)%len(d.recent)]
	for i := d.n - 3; i >= max(0, d.n-len(d.recent)); i-- {
		s := &d.recent[i%len(d.recent)]
		if t := (end.at - s.at).Seconds(); t >= arrivalTime.Seconds() {
			return float64(end.delivered-s.delivered) / t, float64(end.lost-s.lost) / t
		}
	}
	return 0, 0
}
