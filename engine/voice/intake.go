package voice

import (
	"time"

	"github.com/torc-engine/torc/internal/rate"
)

// The budget of a talker. A frame takes 20 ms, so an honest talker has 50 a second; the burst
// covers a line that delivers late. The bytes are 32 kbit/s.
var (
	frameBudget = rate.Limit{PerSecond: 52, Burst: 10}
	byteBudget  = rate.Limit{PerSecond: 4000, Burst: 10 * MaxFrame}
)

// restart is the pause after which a talker can begin with any number: the numbers go round after
// 5 s, so an older one says nothing.
const restart = 2 * time.Second

// ahead is how many numbers a frame can be ahead of the last one.
const ahead = 128

// repeated is how many numbers a repetition is behind the newest frame at most: those of two ticks.
const repeated = 20

// A Drop is why a frame was dropped.
type Drop uint8

// The reasons.
const (
	Kept       Drop = iota
	OverBudget      // more frames or bytes than the budget
	OutOfOrder      // not newer than the last one
	Foreign         // no Opus frame of 20 ms
	Unheard         // voice is off, the talker must not talk, or the channel is closed
	Crowded         // four others had the places of a listener
	Narrow          // the line of a listener had no room
	Unknown         // of a talker that the server has not named
	Drops
)

// DropNames are the names of the reasons in metrics, by reason.
var DropNames = [Drops]string{Kept: "kept", OverBudget: "budget", OutOfOrder: "order", Foreign: "codec", Unheard: "unheard", Crowded: "crowded", Narrow: "narrow", Unknown: "unknown"}

// An Intake accepts the frames of one talker. The zero value is ready for use.
type Intake struct {
	frames, bytes rate.Bucket
	begun         bool
	last          uint8         // number of the newest frame
	at            time.Duration // when it came
	level         int           // smoothed size of a frame, in 1/16 byte
}

// Take decides about a frame that came at a time.
func (t *Intake) Take(now time.Duration, f *Frame) Drop {
	switch fresh := !t.begun || now-t.at >= restart; {
	case !f.Playable():
		return t.refuse(now, Foreign)
	case !fresh && (f.Number == t.last || f.Number-t.last >= ahead):
		return t.refuse(now, OutOfOrder)
	}
	if !t.frames.Has(now, frameBudget, 1) || !t.bytes.Take(now, byteBudget, float64(f.Size)) {
		return OverBudget
	}
	t.frames.Take(now, frameBudget, 1)
	t.begun, t.last, t.at = true, f.Number, now
	t.level += (16*int(f.Size) - t.level) / 8
	return Kept
}

// refuse charges the budget for a frame that counts for nothing else: a flood of them must not cost
// more than frames do.
func (t *Intake) refuse(now time.Duration, why Drop) Drop {
	if !t.frames.Take(now, frameBudget, 1) {
		return OverBudget
	}
	return why
}

// Missing reports whether the first frame of a pair is to be heard: it is newer than the newest
// one, because the two belong together or it repeats a lost one. After a pause each is.
func (t *Intake) Missing(now time.Duration, f *Frame) bool {
	return !t.begun || now-t.at >= restart || f.Number != t.last && f.Number-t.last < ahead
}

// Repeats reports whether a frame is one of the newest, or one that was lost before them: the
// repetition on a line with losses. It costs nothing of the budget.
func (t *Intake) Repeats(now time.Duration, f *Frame) bool {
	return t.begun && now-t.at < restart && t.last-f.Number < repeated
}

// Level returns how loud the talker is, as far as the sizes of frames tell: 0…MaxFrame.
func (t *Intake) Level() int { return t.level / 16 }

// Before reports whether another talker's newest frame came later.
func (t *Intake) Before(other *Intake) bool { return t.at < other.at }

// Silent reports whether no frame came for a time.
func (t *Intake) Silent(now, pause time.Duration) bool { return !t.begun || now-t.at >= pause }
