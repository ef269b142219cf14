package tui

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
	"github.com/torc-engine/torc/game/scene"
)

func simulation(t *testing.T, width, height int) tcell.SimulationScreen {
	t.Helper()
	screen := tcell.NewSimulationScreen("UTF-8")
	require.NoError(t, screen.Init())
	screen.SetSize(width, height)
	t.Cleanup(screen.Fini)
	return screen
}

// shows returns the text on a screen in the format of Frame.String.
func shows(screen tcell.SimulationScreen) string {
	screen.Show()
	var c Frame
	cells, across, down := screen.GetContents()
	c.reset(across, down)
	for i := range cells {
		if len(cells[i].Runes) > 0 {
			c.cells[i].Rune = cells[i].Runes[0]
		}
	}
	for i := 1; i < len(c.cells); i++ { // the second halves
		if i%c.Width > 0 && width(c.cells[i-1].Rune) == 2 {
			c.cells[i].Rune = 0
		}
	}
	return c.String()
}

func TestPainterShowsWhatIsDrawn(t *testing.T) {
	screen := simulation(t, 80, 24)
	var p painter
	var c Frame
	for _, s := range []*Scene{field(80, 24), with(field(80, 24), terrain), field(80, 24)} {
		c.Draw(s)
		assert.True(t, p.paint(screen, &c))
		assert.Equal(t, c.String(), shows(screen))
		assert.False(t, p.paint(screen, &c), "the same picture is nothing new")
	}
	screen.Clear()
	p.shown = nil
	assert.True(t, p.paint(screen, &c), "after a new size everything is drawn again")
	assert.Equal(t, c.String(), shows(screen))
}

// TestLineInASCII draws the quality of the line on a terminal without UTF-8. Every number of bars
// looks different.
func TestLineInASCII(t *testing.T) {
	screen := tcell.NewSimulationScreen("US-ASCII")
	require.NoError(t, screen.Init())
	t.Cleanup(screen.Fini)
	registerFallbacks(screen)
	screen.SetSize(60, 12)
	var p painter
	var c Frame
	for bars, want := range []string{"....", "_...", "_=..", "_=H.", "_=H#"} {
		c.Draw(with(field(60, 12), func(s *Scene) { s.Bars, s.Line = bars, "reconnecting… (timed out)" }))
		p.paint(screen, &c)
		screen.Show()
		cells, _, _ := screen.GetContents()
		var text strings.Builder
		for i := range cells {
			text.Write(cells[i].Bytes)
		}
		assert.Contains(t, text.String(), " "+want+" 43 ms")
		assert.Contains(t, text.String(), " reconnecting. (timed out) ")
	}
}

// TestNoColours paints terrain for a terminal without colours. Only the Body and the flags are in
// reverse video.
func TestNoColours(t *testing.T) {
	screen := simulation(t, 80, 24)
	p := painter{plain: true}
	var c Frame
	s := with(field(80, 24), terrain)
	c.Draw(s)
	p.paint(screen, &c)
	screen.Show()
	cells, _, _ := screen.GetContents()
	reversed := 0
	for _, cell := range cells {
		fg, bg, attributes := cell.Style.Decompose()
		assert.Equal(t, tcell.ColorDefault, fg)
		assert.Equal(t, tcell.ColorDefault, bg)
		if attributes&tcell.AttrReverse != 0 {
			reversed++
		}
	}
	assert.Equal(t, 2, reversed, "the Body and the flag on the screen")
}

// TestSceneInASCII paints everything but names on a terminal without UTF-8. Every character has a
// plain one.
func TestSceneInASCII(t *testing.T) {
	screen := tcell.NewSimulationScreen("US-ASCII")
	require.NoError(t, screen.Init())
	t.Cleanup(screen.Fini)
	registerFallbacks(screen)
	screen.SetSize(80, 24)
	for yaw := 0.0; yaw < 360; yaw += 45 {
		var p painter
		var c Frame
		c.Draw(with(field(80, 24), func(s *Scene) {
			for i := range s.Things {
				s.Things[i].Yaw, s.Things[i].Name = yaw, "Bob"
			}
			for kind := look.Box; kind <= look.Cloth; kind++ {
				for _, size := range []float64{0.1, 8} {
					s.Things = append(s.Things, Marker{Kind: scene.Structure, At: sim.Vec3{X: 10 * float64(kind), Y: size},
						Look: look.New(look.Element{Kind: kind, Size: sim.Vec3{X: size, Y: size, Z: 1}})})
				}
			}
		}))
		p.paint(screen, &c)
		screen.Show()
		cells, _, _ := screen.GetContents()
		for i := range cells {
			assert.Len(t, cells[i].Bytes, 1)
			if cells[i].Runes[0] != '?' {
				assert.NotEqual(t, "?", string(cells[i].Bytes), "%q", cells[i].Runes)
			}
		}
	}
}

func TestPainterAllocatesNothing(t *testing.T) {
	screen := simulation(t, 120, 40)
	var p painter
	var a, b Frame
	a.Draw(with(field(120, 40), terrain))
	b.Draw(field(120, 40))
	paint := func() { p.paint(screen, &a); p.paint(screen, &b) }
	paint()
	assert.Zero(t, testing.AllocsPerRun(10, paint))
}

func TestTranslate(t *testing.T) {
	for _, row := range []struct {
		e    tcell.Event
		want InputEvent
		ok   bool
	}{
		{tcell.NewEventKey(tcell.KeyRune, 'w', 0), InputEvent{Rune: 'w'}, true},
		{tcell.NewEventKey(tcell.KeyRune, 'w', tcell.ModAlt), InputEvent{Rune: 'w'}, false},
		{tcell.NewEventKey(tcell.KeyEscape, 0, 0), InputEvent{Key: Escape}, true},
		{tcell.NewEventKey(tcell.KeyCtrlC, 0, 0), InputEvent{Key: Interrupt}, true},
		{tcell.NewEventKey(tcell.KeyF12, 0, 0), InputEvent{}, false},
		{tcell.NewEventMouse(3, 4, tcell.ButtonPrimary|tcell.WheelUp, 0), InputEvent{Mouse: Mouse{On: true, X: 3, Y: 4, Fire: true, Nearer: true}}, true},
		{tcell.NewEventMouse(3, 4, tcell.ButtonSecondary|tcell.WheelDown, 0), InputEvent{Mouse: Mouse{On: true, X: 3, Y: 4, Jet: true, Away: true}}, true},
		{tcell.NewEventPaste(true), InputEvent{Paste: PasteBegin}, true},
		{tcell.NewEventPaste(false), InputEvent{Paste: PasteEnd}, true},
		{tcell.NewEventFocus(true), InputEvent{}, false},
	} {
		e, ok := translate(row.e)
		assert.Equal(t, row.ok, ok, "%T", row.e)
		assert.Equal(t, row.want, e)
	}
}
