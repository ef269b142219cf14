package script

import (
	"fmt"
	"log/slog"
	"time"
)

// outputWindow is the time for which Limits.Lines and Limits.Output hold, of simulation.
const outputWindow = time.Second

// output is what a mod has said of late. A flood of lines hides what others say, and costs time that no budget of
// instructions shows.
type output struct {
	since        time.Duration // when the window began
	lines, bytes int           // in it
	cut          bool          // its end has been told
	Dropped      int64         // lines since the start that were not shown
}

// take reports whether the mod may say so many bytes more. What is beyond its share of a second is dropped and counted, and
// that is said once in it. The operator says what he likes.
func (o *output) take(a Args, size int) bool {
	h := a.Host()
	if a.Mod == a.ext().scripts.operator {
		return true
	}
	if now := h.now(); now-o.since >= outputWindow {
		*o = output{since: now, Dropped: o.Dropped}
	}
	o.lines++
	o.bytes += size + 1
	l := &h.cfg.Limits
	if o.lines <= l.Lines && o.bytes <= l.Output {
		return true
	}
	o.Dropped++
	if !o.cut {
		o.cut = true
		h.log(slog.LevelWarn, fmt.Sprintf("%s says more than %d lines or %d bytes in a second; the rest is dropped (mod.maxLines, mod.maxOutput)",
			a.Mod.Name, l.Lines, l.Output), "mod", a.Mod.Name)
	}
	return false
}
