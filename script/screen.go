package script

import (
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/form"
)

// A screen is what the program shows of scripts: printed lines, messages, effects and the HUD.
type screen struct {
	echo    func(line string)
	message func(kind, text string) // nil: echo prints messages
	effect  func(kind string)       // nil: none are shown
	lines   [HudLines]string
	show    func(line int, text string) // displays a changed line of the HUD; nil: none

	elements func() []*form.Element // of the HUD
}

// setHud sets a line if the text differs. The text can come from any player: setHud cuts it after
// maxHudLine bytes and escapes unsafe characters, but keeps line breaks.
func (d *screen) setHud(line int, text string) {
	text = console.ReadableText(truncate(text, maxHudLine))
	if text == d.lines[line-1] {
		return
	}
	d.lines[line-1] = text
	if d.show != nil {
		d.show(line, text)
	}
}

// saveHud returns a function that restores the lines as they are now.
func (d *screen) saveHud() (restore func()) {
	lines := d.lines
	return func() {
		for i, text := range lines {
			d.setHud(i+1, text)
		}
	}
}

// Hud returns the lines of the HUD.
func (s *Scripts) Hud() []string { return s.screen.lines[:] }

// clearHud clears every line when the connection to the server ends.
func (d *screen) clearHud() {
	for line := range d.lines {
		d.setHud(line+1, "")
	}
}

// hudCommand returns the command `hud`.
func (d *screen) hudCommand() console.Command {
	return console.Command{
		Name: "hud", Help: "prints the non-empty lines of the HUD: N TEXT; then its elements at places of the screen: PLACE TEXT",
		Run: func([]string) (string, error) {
			var lines []string
			for i, text := range d.lines {
				if text != "" {
					lines = append(lines, fmt.Sprintf("%d %s", i+1, console.Clean(text)))
				}
			}
			for _, e := range d.elements() {
				for _, text := range e.Lines() {
					lines = append(lines, fmt.Sprintf("%s %s", e.At, console.Clean(text)))
				}
			}
			return strings.Join(lines, "\n"), nil
		},
	}
}

// printOutcome prints the result of a command that has already returned.
func (d *screen) printOutcome(text string, err error) {
	if err != nil {
		text = "error: " + err.Error()
	}
	d.echo(text)
}

// A HUD has HudLines lines of text, each of at most maxHudLine bytes.
const (
	HudLines   = 16
	maxHudLine = 256
)
