package script

import (
	"fmt"
	"log/slog"
	"time"
)

// outputWindow is the period of Limits.Lines and Limits.Output, in simulation time.
const outputWindow = time.Second

// outputLimiter counts the recent output of a mod. Too many lines hide the output of others, and cost time
// that the instruction budget does not cover.
type outputLimiter struct {
	since        time.Duration // start of the current period
	lines, bytes int           // in the current period
	reported     bool          // the drop has been reported in this period
	Dropped      int64         // lines dropped since the start
}

// allow reports whether the mod may print size more bytes. Output over the limit is dropped and
// counted, and take logs one warning per period. The operator has no limit.
func (o *outputLimiter) allow(a Call, size int) bool {
	h := a.Runtime()
	if a.Mod == a.binding().scripts.operator {
		return true
	}
	if now := h.Now(); now-o.since >= outputWindow {
		*o = outputLimiter{since: now, Dropped: o.Dropped}
	}
	o.lines++
	o.bytes += size + 1
	l := h.LimitsVar()
	if o.lines <= l.Lines && o.bytes <= l.Output {
		return true
	}
	o.Dropped++
	if !o.reported {
		o.reported = true
		h.Log(slog.LevelWarn, fmt.Sprintf("%s says more than %d lines or %d bytes in a second; the rest is dropped (mod.maxLines, mod.maxOutput)",
			a.Mod.Name, l.Lines, l.Output), "mod", a.Mod.Name)
	}
	return false
}
