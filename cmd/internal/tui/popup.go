package tui

import (
	"strings"
	"time"
)

// popup is a box that goes by a key or after some time. The zero value is closed.
type popup struct {
	lines []string
	since time.Duration // when it was first drawn; below 0: never
}

// open shows the rows of a text, and how they go.
func (p *popup) open(text string) {
	p.lines, p.since = append(strings.Split(plainRows(text), "\n"), "Esc  close"), -1
}

func (p *popup) close()       { p.lines = nil }
func (p *popup) isOpen() bool { return len(p.lines) > 0 }

// visible returns the lines to draw, and closes a popup that was drawn for long enough.
func (p *popup) visible(now, most time.Duration) []string {
	switch {
	case p.since < 0:
		p.since = now
	case now-p.since >= most:
		p.close()
	}
	return p.lines
}
