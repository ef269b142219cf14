package tui

import (
	"strings"

	"github.com/torc-engine/torc/game/look"
)

// A Color is 1…255 of the terminal's 256-colour palette; 0 is the terminal's default.
type Color uint8

// A Style is the appearance of a character.
type Style struct {
	Fg, Bg  Color
	Bold    bool
	Reverse bool
}

// A Glyph is a character of the screen. The cell after a wide character has the rune 0.
type Glyph struct {
	Rune  rune
	Style Style
}

// Frame are a whole screen. Drawing outside of it has no effect.
type Frame struct {
	Width, Height    int
	CursorX, CursorY int // position of the text cursor; -1: hidden
	rows             int // the rows that can be drawn on, from the top
	cells            []Glyph
	elements         []*look.Element // of the thing that is being drawn
	lines            []string        // of the score board
}

// most is the maximum width and height of a screen, in characters.
const most = 1000

// reset makes an empty screen of the given size.
func (c *Frame) reset(width, height int) {
	width, height = min(max(width, 0), most), min(max(height, 0), most)
	if n := width * height; cap(c.cells) < n {
		c.cells = make([]Glyph, n)
	}
	c.Width, c.Height, c.CursorX, c.CursorY = width, height, -1, -1
	c.rows = height
	c.cells = c.cells[:width*height]
	for i := range c.cells {
		c.cells[i] = Glyph{Rune: ' '}
	}
}

func (c *Frame) has(x, y int) bool { return x >= 0 && x < c.Width && y >= 0 && y < c.rows }

// At returns a cell of the screen.
func (c *Frame) At(x, y int) Glyph { return c.cells[y*c.Width+x] }

// put sets a cell. If that overwrites half of a wide character, the other half becomes blank.
func (c *Frame) put(x, y int, r rune, s Style) {
	if !c.has(x, y) {
		return
	}
	at := y*c.Width + x
	if c.cells[at].Rune == 0 && x > 0 {
		c.cells[at-1].Rune = ' '
	}
	if x+1 < c.Width && c.cells[at+1].Rune == 0 {
		c.cells[at+1].Rune = ' '
	}
	c.cells[at] = Glyph{r, s}
}

// text writes plain text from column x to before column end, and returns the column after it.
func (c *Frame) text(x, y, end int, text string, s Style) int {
	for _, r := range text {
		n := width(r)
		if x+n > min(end, c.Width) {
			break
		}
		c.put(x, y, r, s)
		if n == 2 {
			c.put(x+1, y, ' ', s)
			if c.has(x+1, y) && c.has(x, y) {
				c.cells[y*c.Width+x].Rune = r
				c.cells[y*c.Width+x+1].Rune = 0
			}
		}
		x += n
	}
	return x
}

// fill sets all cells of a rectangle.
func (c *Frame) fill(x, y, width, height int, r rune, s Style) {
	for row := max(y, 0); row < min(y+height, c.rows); row++ {
		for col := max(x, 0); col < min(x+width, c.Width); col++ {
			c.put(col, row, r, s)
		}
	}
}

// String returns the screen as text: one line per row, without trailing blanks.
func (c *Frame) String() string {
	var b strings.Builder
	var row strings.Builder
	for y := range c.Height {
		row.Reset()
		for x := range c.Width {
			if r := c.At(x, y).Rune; r != 0 {
				row.WriteRune(r)
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
