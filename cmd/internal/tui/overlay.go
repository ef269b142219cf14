package tui

import (
	"math"
	"strconv"
	"strings"
)

var (
	ink    = Style{Fg: 255}
	loud   = Style{Fg: 231, Bold: true}
	quiet  = Style{Fg: 250}
	board  = Style{Fg: 255, Bg: 236}
	urgent = Style{Fg: 226, Bold: true}
)

// overlay draws the user interface over the frame.
//
//	HUD 1…4                   line ping
//	elements at nine places
//	              (HUD 15)
//	form, notice
//	              (HUD 16)
//	messages, without a map below them
//	typed line
//	bars
func (c *Frame) overlay(s *Scene) {
	top := topLines
	if s.Scores {
		top-- // the last one is the heading of the scores
	}
	y := 0
	for n := 1; n <= top; n++ {
		for row := range strings.SplitSeq(s.Hud[n], "\n") {
			c.line(0, y, row, loud)
			y++
		}
	}
	c.ping(s)
	c.centred(s.mapRows()/3, s.Hud[centreLine], urgent)
	c.centred(s.mapRows()/3-1-rowCount(s.Line), s.Line, urgent)
	c.bars(s)
	bottom := c.Height - s.barRows()
	if s.Typing {
		bottom--
		c.input(s, bottom)
	}
	if s.Reel != "" {
		bottom--
		c.centred(bottom, s.Reel, loud)
	}
	c.messages(s, bottom)
	if print := s.Hud[bottomLine]; print != "" {
		c.centred(min(bottom, s.mapRows())-rowCount(print), print, loud)
	}
	c.atPlaces(s, y, min(bottom, s.mapRows()))
	if len(s.Form) > 0 {
		c.box(1, y+1, s.Form)
	}
	if len(s.Notice) > 0 {
		c.box(1, y+1, c.wrapped(s.Notice))
	}
	switch {
	case s.Help && s.Reel != "":
		c.board(s, reelHelp)
	case s.Help:
		c.board(s, s.help())
	case s.Scores:
		c.scores(s, s.Hud[topLines:centreLine])
	}
}

// help returns the lines of the help. The keys that mods ask for take the rows that are left.
func (s *Scene) help() []string {
	lines := append([]string(nil), helpLines...)
	for i, text := range s.Asked {
		if len(lines) >= s.mapRows()-1 && i < len(s.Asked)-1 {
			return append(lines, "             the command bind lists the others")
		}
		lines = append(lines, text)
	}
	return lines
}

// line writes text with a blank before and after it.
func (c *Frame) line(x, y int, text string, s Style) {
	if text != "" {
		c.put(x-1, y, ' ', s)
		c.put(c.text(x, y, c.Width, text, s), y, ' ', s)
	}
}

// centred writes the rows of a text in the middle of the screen, the first at y.
func (c *Frame) centred(y int, text string, s Style) {
	for row := range strings.SplitSeq(text, "\n") {
		c.line(max((c.Width-columns(row))/2, 0), y, row, s)
		y++
	}
}

// rowCount returns the number of rows of a text.
func rowCount(text string) int { return strings.Count(text, "\n") + 1 }

func (c *Frame) ping(s *Scene) {
	if !s.Body.Known || c.Height < 2 || s.Reel != "" {
		return
	}
	text := strconv.Itoa(s.Body.Ping) + " ms"
	row, _, _ := strings.Cut(s.Hud[1], "\n")
	first := columns(row)
	at := c.Width - len(text)
	if at > first {
		c.line(at, 0, text, quiet)
	}
	if at -= maxBars + 1; s.Bars >= 0 && at > first {
		c.quality(at, s.Bars)
	}
}

// maxBars is the number of bars of the best line.
const maxBars = 4

var (
	steps    = [maxBars]rune{'▂', '▄', '▆', '█'}
	barColor = [maxBars + 1]Color{203, 203, 226, 250, 250} // by the number of bars
)

// quality draws the line to the server as a row of bars. Dots stand for missing bars.
func (c *Frame) quality(x, bars int) {
	c.put(x-1, 0, ' ', quiet)
	for i, r := range steps {
		if i >= bars {
			r = '.'
		}
		c.put(x+i, 0, r, Style{Fg: barColor[min(bars, maxBars)]})
	}
}

// bars draws the last row: health, energy, speed and position.
func (c *Frame) bars(s *Scene) {
	y := c.Height - 1
	if s.barRows() == 0 {
		return
	}
	c.fill(0, y, c.Width, 1, ' ', board)
	b := &s.Body
	if !b.Known {
		text := "you control nothing yet   ? keys   Esc console"
		if s.Reel != "" {
			text = "? keys   Esc console"
		}
		c.text(0, y, c.Width, text, board)
		return
	}
	size := min(max(c.Width/8, 4), 16)
	x := 0
	for _, bar := range []struct {
		name  string
		part  float64
		color Color
	}{{"HP", b.Health, 203}, {"EN", b.Energy, 75}, {"VEH", b.Ride, 180}} {
		if bar.part >= 0 {
			x = c.bar(x, y, size, bar.name, bar.part, bar.color)
		}
	}
	rest := strconv.Itoa(int(math.Round(b.Speed))) + " m/s  z " + strconv.Itoa(int(math.Round(b.At.Z))) + "  " +
		compass(b.Yaw) + "  1:" + strconv.FormatFloat(s.Scale, 'g', 3, 64)
	c.text(x, y, c.Width, rest, board)
	if hint := "? keys  Esc console"; x+columns(rest)+2+len(hint) <= c.Width {
		c.text(c.Width-len(hint), y, c.Width, hint, board)
	}
}

func (c *Frame) bar(x, y, size int, name string, part float64, color Color) int {
	part = min(part, 1)
	x = c.text(x, y, c.Width, name+" ", board)
	full := int(math.Ceil(part * float64(size)))
	for i := range size {
		if i < full {
			c.put(x+i, y, '█', Style{Fg: color, Bg: board.Bg})
		} else {
			c.put(x+i, y, '░', Style{Fg: 240, Bg: board.Bg})
		}
	}
	return c.text(x+size, y, c.Width, " "+strconv.Itoa(int(math.Ceil(part*100)))+"  ", board)
}

// compass formats a yaw angle as degrees clockwise from north.
func compass(yaw float64) string {
	yaw = math.Mod(360-math.Mod(math.Round(yaw), 360), 360)
	if math.IsNaN(yaw) {
		return "-"
	}
	return strconv.Itoa(int(yaw)) + "°"
}

// input draws the typed line. If the line is too long, its end is shown.
func (c *Frame) input(s *Scene, y int) {
	c.fill(0, y, c.Width, 1, ' ', board)
	x := c.text(0, y, c.Width, s.Label+": ", board)
	text := tail(s.Input, c.Width-x-1)
	c.CursorX, c.CursorY = c.text(x, y, c.Width, text, board), y
}

// serverMark begins the lines of an operator. No line of a player begins with it.
const serverMark = "*** "

// messages draws the newest messages between the map and bottom. Lines of an operator have a style
// of their own.
func (c *Frame) messages(s *Scene, bottom int) {
	first := max(len(s.Messages)-max(bottom-s.mapRows(), 0), 0)
	for i := len(s.Messages) - 1; i >= first; i-- {
		bottom--
		style := ink
		if strings.HasPrefix(s.Messages[i], serverMark) {
			style = urgent
		}
		c.line(0, bottom, s.Messages[i], style)
	}
}

// widest returns the number of columns of the widest line.
func widest(lines []string) (wide int) {
	for _, line := range lines {
		wide = max(wide, columns(line))
	}
	return wide
}

// board draws lines in the middle of the map.
func (c *Frame) board(s *Scene, lines []string) {
	if wide := min(widest(lines), max(c.Width-2, 0)); wide > 0 {
		c.box((c.Width-wide)/2, max((s.mapRows()-len(lines))/2, 0), lines)
	}
}

// scores draws lines of the HUD in the middle of the map, without the empty ones at the end.
func (c *Frame) scores(s *Scene, lines []string) {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	c.lines = c.lines[:0]
	for _, line := range lines {
		for row := range strings.SplitSeq(line, "\n") {
			c.lines = append(c.lines, row)
		}
	}
	alignColumns(c.lines)
	c.board(s, c.lines)
}

// wrapped breaks the lines that are wider than a box can be: a link must be readable to its end.
func (c *Frame) wrapped(lines []string) (rows []string) {
	wide := max(c.Width-2, 2) // the widest character has two columns
	for _, line := range lines {
		for columns(line) > wide {
			row := cut(line, wide)
			rows, line = append(rows, row), line[len(row):]
		}
		rows = append(rows, line)
	}
	return rows
}

// box draws lines on a background, from x and y on.
func (c *Frame) box(x, y int, lines []string) {
	wide := min(widest(lines), max(c.Width-2, 0))
	c.fill(x-1, y-1, wide+2, len(lines)+2, ' ', board)
	for i, line := range lines {
		c.text(x, y+i, x+wide, line, board)
	}
}

var helpLines = strings.Split(`w a s d      walk          with shift: also jets
← →          turn          ↑ ↓  look up and down   x level
mouse        aim and fire, right button jets, wheel scale
space        jump          j  jets      c  crouch
f            fire          v  second trigger
r            keep running until s or r
e  g  1…9    use, drop, slots          F2 F3  vote yes, no
l            choose a loadout
t  y         say to all, to your team
Tab          scores        + -  scale   Ctrl-L  redraw
Esc  `+"`"+`  F1    return to the console`, "\n")
