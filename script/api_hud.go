package script

import (
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// A HUD has HudLines lines of text, each of at most maxHudLine bytes.
const (
	HudLines   = 16
	maxHudLine = 256
)

// hudLib has the functions for text on the client's screen.
func hudLib() vm.Lib {
	return chapter("The HUD", []row{
		{"setHud", "line: integer, [text: string?]", vm.Client, "Shows a text in line 1…16 of the HUD until the next call for that line; nil or \"\" clears the line. On the server, the functions hud, centerPrint and bottomPrint of base do the same; the last two use lines 15 and 16.", setHud},
	})
}

var hudSlot = newSlot[hud]()

// hud holds the lines of a client's HUD and the function that displays a changed line.
type hud struct {
	lines [HudLines]string
	show  func(line int, text string)
}

func setHud(a Call) int {
	line := a.IntIn(1, 1, HudLines)
	v, err := fromLua(a.Get(2))
	switch v.Kind() {
	case sim.KindNil, sim.KindString, sim.KindTag, sim.KindNumber:
	default:
		err = fmt.Errorf("no text")
	}
	if err != nil {
		a.Wrong(2, "a string")
	}
	a.binding().scripts.setHud(line, v.Print(nil))
	return 0
}

// setHud sets a line if the text differs. The text can come from any player: setHud cuts it after
// maxHudLine bytes and escapes unsafe characters.
func (s *Scripts) setHud(line int, text string) {
	text = console.Clean(truncate(text, maxHudLine))
	if text == hudSlot.of(s).lines[line-1] {
		return
	}
	hudSlot.of(s).lines[line-1] = text
	if hudSlot.of(s).show != nil {
		hudSlot.of(s).show(line, text)
	}
}

// saveHud returns a function that restores the lines as they are now.
func (s *Scripts) saveHud() (restore func()) {
	lines := hudSlot.of(s).lines
	return func() {
		for i, text := range lines {
			s.setHud(i+1, text)
		}
	}
}

// clearHud clears every line when the connection to the server ends.
func (s *Scripts) clearHud() {
	for line := range hudSlot.of(s).lines {
		s.setHud(line+1, "")
	}
}

// hudCommand returns the command `hud`.
func (s *Scripts) hudCommand() console.Command {
	return console.Command{
		Name: "hud", Help: "prints the non-empty lines of the HUD: N TEXT",
		Run: func([]string) (string, error) {
			var lines []string
			for i, text := range hudSlot.of(s).lines {
				if text != "" {
					lines = append(lines, fmt.Sprintf("%d %s", i+1, text))
				}
			}
			return strings.Join(lines, "\n"), nil
		},
	}
}
