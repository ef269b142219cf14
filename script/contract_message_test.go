package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/script"
)

func TestMessagesToThePlayer(t *testing.T) {
	printing := newHalf(t, 2, false).load()
	printing.steps(
		step{`showMessage("MsgChat", "Ann: hi")`, `Ann: hi`},
		step{`showMessage("MsgChat")`, `~showMessage: argument 2 (text) must be a string`},
	)
	var shown []string
	h := newHalfWith(t, 2, false, nil, func(s *script.Setup) {
		s.Message = func(kind, text string) { shown = append(shown, kind+" "+text) }
	}).load()
	h.steps(
		step{`showMessage("MsgChat", "Ann: \27[2J")`, ``},
		step{`showMessage("MsgMenu", "Gear\n1  light")`, ``},
	)
	assert.Equal(t, []string{`MsgChat Ann: \x1b[2J`, "MsgMenu Gear\n1  light"}, shown)
	newHalf(t, 1, true).load().steps(step{`showMessage("a", "b")`, `error: console:1: showMessage is available only on the client`})
}
