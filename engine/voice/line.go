package voice

import (
	"time"

	"github.com/torc-engine/torc/internal/rate"
)

const (
	// Places is how many talkers a listener hears at a time.
	Places = 4
	// least is the rate of the narrowest line with voice, in bits/s.
	least = 48_000
	// most is the highest rate of all voices on a line, in bytes/s.
	most = 12_000
	// usual is the rate of one talker, in bytes/s: speech at 24 kbit/s has 2,100 to 2,600. A new
	// connection, whose line nobody has filled yet, has 9,600 for voices: four talkers.
	usual = 2400
	// fresh is the least rate of a line that repeats frames beyond the quarter, in bits/s: that of
	// a new connection. Nobody knows yet what it carries, and its only talker uses up the quarter.
	fresh = 76_000
)

// A Line is the share of voices in what one line carries. The zero value is ready for use.
type Line struct {
	bytes   rate.Bucket
	repeats rate.Bucket // of a line that is not narrow
}

// share returns the bytes/s of all voices on a line of so many bits/s: a quarter, at most most.
func share(bits float64) float64 { return min(bits/8/4, most) }

// places returns how many talkers a line of so many bits/s carries.
func places(bits float64) int {
	if !(bits >= least) {
		return 0
	}
	return min(max(1, int(share(bits)/usual)), Places)
}

// take reports whether a line has room for so many bytes. A single talker has it always: its own
// budget bounds it.
func (l *Line) take(now time.Duration, bits float64, bytes int, alone bool) bool {
	limit := rate.Limit{PerSecond: share(bits), Burst: max(share(bits)/2, 2*MaxFrame)}
	return l.bytes.Take(now, limit, float64(bytes)) || alone
}

// again reports whether a line has room to repeat so many bytes. A line that is not narrow has
// another third for that.
func (l *Line) again(now time.Duration, bits float64, bytes int) bool {
	if bits < fresh {
		return l.take(now, bits, bytes, false)
	}
	return l.repeats.Take(now, rate.Limit{PerSecond: min(bits/8/3, most), Burst: 4 * MaxFrame}, float64(bytes))
}

// Repeats reports whether a line with a packet loss of 0…1 gets each frame twice, the second time
// with the packet of the next tick.
func Repeats(loss float64) bool { return loss > 0.01 }
