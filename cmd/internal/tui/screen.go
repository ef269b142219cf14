package tui

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/torc-engine/torc/console/prompt"
)

// closeTimeout is the time that Close waits for a terminal that accepts no output.
const closeTimeout = time.Second

// A Screen is a terminal that shows frames. Only its painter, a goroutine, writes to the terminal.
type Screen struct {
	cells     tcell.Screen
	events    chan InputEvent
	free      chan *Frame // at most one: a frame to draw on
	frames    chan *Frame // at most one: a frame to show
	redrawAll atomic.Bool // redraw everything
	size      atomic.Uint64
	closing   chan struct{} // closed when events are no longer wanted
	done      chan struct{} // closed when the terminal is restored
	plain     bool          // the terminal has no colours, or NO_COLOR is set
}

// NewScreen takes over a leased terminal, until Close.
func NewScreen(lease *prompt.TerminalLease) (*Screen, error) {
	cells, err := tcell.NewTerminfoScreenFromTty(&tty{TerminalLease: lease})
	if err == nil {
		err = cells.Init()
	}
	if err != nil {
		lease.Return()
		return nil, fmt.Errorf("the terminal cannot show the view: %w", err)
	}
	registerFallbacks(cells)
	cells.EnableMouse(tcell.MouseButtonEvents | tcell.MouseDragEvents | tcell.MouseMotionEvents)
	s := &Screen{
		cells: cells, events: make(chan InputEvent, 64), free: make(chan *Frame, 1), frames: make(chan *Frame, 1),
		closing: make(chan struct{}), done: make(chan struct{}),
	}
	s.plain = cells.Colors() == 0
	s.measure()
	s.free <- new(Frame)
	go s.listen()
	go s.paint(lease)
	return s, nil
}

// registerFallbacks names the ASCII characters for a terminal that shows no others.
func registerFallbacks(cells tcell.Screen) {
	for r, plain := range map[rune]string{
		'↗': "/", '↘': "\\", '↙': "/", '↖': "\\", '⇑': "^", '⇒': ">", '⇓': "v", '⇐': "<", '░': "-",
		'▂': "_", '▄': "=", '▆': "H", '…': ".", '·': ".", '°': " ", '⇗': "/", '⇘': "\\", '⇙': "/", '⇖': "\\",
		'■': "&", '●': "o", '◉': "@", '▲': "A", '◎': "O", '▬': "=", '⚑': "P", '▓': "&", '▶': ">", '‖': "|",
	} {
		cells.RegisterRuneFallback(r, plain)
	}
}

// measure stores the terminal size for the drawing goroutine.
func (s *Screen) measure() {
	width, height := s.cells.Size()
	s.size.Store(uint64(uint32(width))<<32 | uint64(uint32(height)))
}

// Size returns the size of the terminal in characters.
func (s *Screen) Size() (width, height int) {
	n := s.size.Load()
	return int(n >> 32), int(uint32(n))
}

// freeFrame returns a frame to draw on, nil while the last frame is still being shown.
func (s *Screen) freeFrame() *Frame {
	select {
	case c := <-s.free:
		return c
	default:
		return nil
	}
}

// showFrame passes a frame from spare to the painter.
func (s *Screen) showFrame(c *Frame) { s.frames <- c }

func (s *Screen) redraw() { s.redrawAll.Store(true) }

// Close returns the terminal. It waits until the terminal is restored, at most one second.
func (s *Screen) Close() {
	s.Leave()
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
	}
}

// Leave starts to return the terminal.
func (s *Screen) Leave() {
	close(s.closing)
	close(s.frames)
}

// paint shows the frames one by one.
func (s *Screen) paint(lease *prompt.TerminalLease) {
	defer close(s.done)
	defer lease.Return()
	defer s.cells.Fini()
	p := painter{plain: s.plain}
	for c := range s.frames {
		if s.redrawAll.Swap(false) {
			s.cells.Sync()
			s.measure()
			p.shown = nil
		}
		if p.paint(s.cells, c) {
			s.cells.Show()
		}
		s.free <- c
	}
}

// A painter writes frames to a screen, of each frame only the changed cells.
type painter struct {
	shown            []Glyph // cells on the screen; nil: unknown
	width            int
	cursorX, cursorY int
	strings          map[rune]string
	plain            bool // without colours
}

// paint writes a frame to a screen and reports whether anything changed.
func (p *painter) paint(screen tcell.Screen, c *Frame) (changed bool) {
	if p.width != c.Width || len(p.shown) != len(c.cells) {
		screen.Clear()
		p.width, p.shown, changed = c.Width, make([]Glyph, len(c.cells)), true
	}
	if p.cursorX != c.CursorX || p.cursorY != c.CursorY {
		p.cursorX, p.cursorY, changed = c.CursorX, c.CursorY, true
		screen.ShowCursor(c.CursorX, c.CursorY)
	}
	for i, cell := range c.cells {
		if cell == p.shown[i] {
			continue
		}
		p.shown[i], changed = cell, true
		if cell.Rune != 0 {
			style := cell.Style
			if p.plain {
				style.Fg, style.Bg = 0, 0 // tcell would show dark colours in reverse video
			}
			screen.Put(i%c.Width, i/c.Width, p.text(cell.Rune), tcellStyle(style))
		}
	}
	return changed
}

// text returns a character as a string. It caches the strings.
func (p *painter) text(r rune) string {
	s, known := p.strings[r]
	if !known {
		if p.strings == nil || len(p.strings) > 4096 {
			p.strings = map[rune]string{}
		}
		s = string(r)
		p.strings[r] = s
	}
	return s
}

func tcellStyle(s Style) tcell.Style {
	return tcell.StyleDefault.Foreground(color(s.Fg)).Background(color(s.Bg)).Bold(s.Bold).Reverse(s.Reverse)
}

func color(c Color) tcell.Color {
	if c == 0 {
		return tcell.ColorDefault
	}
	return tcell.PaletteColor(int(c))
}

// listen passes on the events of the terminal. It runs until the screen is closed, because tcell
// cannot close while its events are not read.
func (s *Screen) listen() {
	for e := s.cells.PollEvent(); e != nil; e = s.cells.PollEvent() {
		if _, resized := e.(*tcell.EventResize); resized {
			s.measure()
			s.redraw()
			continue
		}
		event, ok := translate(e)
		if !ok {
			continue
		}
		select {
		case s.events <- event:
		case <-s.closing:
		}
	}
}
