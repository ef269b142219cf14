package picture

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/tui"
)

// The size of a character in pixels, and the distance from the top of a row to its baseline.
const (
	cellWidth, cellHeight = 8, 16
	baseline              = 12
	margin                = 8
)

// The default colours of the terminal.
const defaultFg, defaultBg = "#d0d0d0", "#101216"

// svg returns the screen as an SVG image. Characters of the same style share an element, and each
// element has the position of its first character. The widths of the reader's fonts therefore
// cannot shift a row by more than one element.
func svg(c *tui.Frame) []byte {
	var b bytes.Buffer
	width, height := c.Width*cellWidth+2*margin, c.Height*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n", width, height)
	styles, spans := collect(c)
	b.WriteString("<style>text{font:13.3px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}")
	for i, s := range styles {
		fg, _ := colours(s)
		fmt.Fprintf(&b, ".s%d{fill:%s", i, fg)
		if s.Bold {
			b.WriteString(";font-weight:bold")
		}
		b.WriteByte('}')
	}
	fmt.Fprintf(&b, "</style>\n"+`<rect width="%d" height="%d" rx="6" fill="%s"/>`+"\n", width, height, defaultBg)
	for _, r := range spans {
		if _, bg := colours(r.style); bg != defaultBg {
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n",
				margin+r.x*cellWidth, margin+r.y*cellHeight, r.columns*cellWidth, cellHeight, bg)
		}
	}
	for y := range c.Height {
		fmt.Fprintf(&b, `<text y="%d" xml:space="preserve">`, margin+y*cellHeight+baseline)
		for _, r := range spans {
			if r.y == y && strings.TrimSpace(r.text) != "" {
				fmt.Fprintf(&b, `<tspan x="%d" class="s%d">%s</tspan>`, margin+r.x*cellWidth, slices.Index(styles, r.style), html.EscapeString(r.text))
			}
		}
		b.WriteString("</text>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// A span is a part of a row in one style.
type span struct {
	x, y, columns int
	style         tui.Style
	text          string
}

// collect returns the styles of a screen and its rows as spans.
func collect(c *tui.Frame) (styles []tui.Style, spans []span) {
	for y := range c.Height {
		for x := range c.Width {
			cell := c.At(x, y)
			last := len(spans) - 1
			if cell.Rune == ' ' && plain(cell.Style) {
				cell.Style = tui.Style{} // the colour of a blank is invisible, so it joins what is before it
				if x > 0 && plain(spans[last].style) {
					cell.Style = spans[last].style
				}
			}
			if x == 0 || cell.Rune != 0 && (spans[last].style != cell.Style || cell.Rune > '~' && cell.Rune != '·') {
				spans = append(spans, span{x: x, y: y, style: cell.Style})
				last++
				if !slices.Contains(styles, cell.Style) {
					styles = append(styles, cell.Style)
				}
			}
			spans[last].columns++
			if cell.Rune != 0 {
				spans[last].text += string(cell.Rune)
			}
		}
	}
	return styles, spans
}

// plain reports whether a style leaves the background as it is.
func plain(s tui.Style) bool { return s.Bg == 0 && !s.Reverse }

// colours returns the colours of a style.
func colours(s tui.Style) (fg, bg string) {
	fg, bg = defaultFg, defaultBg
	if s.Fg != 0 {
		fg = hex(s.Fg)
	}
	if s.Bg != 0 {
		bg = hex(s.Bg)
	}
	if s.Reverse {
		fg, bg = bg, fg
	}
	return fg, bg
}

// basic are the first 16 colours of the palette, as xterm has them.
var basic = [16]string{
	"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
	"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
}

// hex returns a colour of the terminal's palette of 256.
func hex(c tui.Color) string {
	switch {
	case c < 16:
		return basic[c]
	case c >= 232:
		grey := 8 + 10*(int(c)-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	n := int(c) - 16
	level := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}
