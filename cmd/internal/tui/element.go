package tui

import (
	"strings"

	"github.com/torc-engine/torc/engine/form"
)

// elements returns the HUD at places of the screen as text. Spectators see the scores of a game if
// they have the score board open. A player asks the server for them.
func (v *View) elements() (at [form.Places][]string) {
	c := v.host().Server()
	if c == nil {
		return at
	}
	return placed(c.Forms().Elements(), v.scene.Scores || v.Reel == nil && !c.Spectator())
}

// placed returns elements as text. Those of one place stand below each other.
func placed(list []*form.Element, scores bool) (at [form.Places][]string) {
	for _, e := range list {
		if e.Name == form.Scores && !scores {
			continue
		}
		lines := e.Lines()
		for i, line := range lines {
			lines[i] = plainRows(line)
		}
		alignColumns(lines)
		at[e.At] = append(at[e.At], lines...)
	}
	return at
}

// atPlaces draws the HUD at places of the screen, between two rows. The lines that have no room are
// cut.
func (c *Frame) atPlaces(s *Scene, top, bottom int) {
	for place, lines := range s.Elements {
		lines = lines[:min(len(lines), max(bottom-top, 0))]
		if len(lines) == 0 {
			continue
		}
		wide := min(widest(lines), max(c.Width-2, 0))
		x := []int{1, (c.Width - wide) / 2, c.Width - wide - 1}[place%3]
		y := []int{top, top + (bottom-top-len(lines))/2, bottom - len(lines)}[place/3]
		c.fill(x-1, y, wide+2, len(lines), ' ', board)
		for i, line := range lines {
			c.text(x, y+i, x+wide, strings.TrimRight(line, " "), board)
		}
	}
}
