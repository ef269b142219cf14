//go:build !js

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// idol is a class of a server's program. The program of the page lacks it.
type idol struct {
	game.StaticShape
	age int
}

// idolData is its class of datablocks.
type idolData struct {
	game.StaticShapeData
	holy bool
}

// omen is a class that nobody sees.
type omen struct{ game.Marker }

// registerIdols adds both, and a class without a look.
func registerIdols(classes *sim.Classes) error {
	for _, c := range []sim.Class{
		{
			Name: "Idol", Parent: "StaticShape", New: func() sim.Object { return &idol{StaticShape: game.Defaults[game.StaticShape]()} },
			Fields: []sim.Field{sim.IntField("age", 9, 0, 500, func(i *idol) *int { return &i.age })},
		},
		{
			Name: "IdolData", Parent: "StaticShapeData", New: func() sim.Object { return &idolData{StaticShapeData: game.Defaults[game.StaticShapeData]()} },
			Fields: []sim.Field{sim.BoolField("holy", 0, func(d *idolData) *bool { return &d.holy })},
		},
		{Name: "Omen", Parent: "Marker", New: func() sim.Object { return &omen{Marker: game.Defaults[game.Marker]()} }},
	} {
		if err := classes.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// idols is a mod that makes an idol in front of the player, with an omen over the player.
const idols = `
datablock "IdolData" "OldIdol" {
  holy = true, look = { { "box", size = vec(3, 3, 3), color = "#ff00c8", glow = 1 }, { "label", text = "IDOL", size = 0.6, at = vec(0, 0, 2.4) } },
}
addCommand { name = "placeIdol", params = "", description = "places an idol", run = function()
  for client in clientGroup:each() do
    local b = client.controlObject
    local yaw = math.rad(b.rotation.yaw)
    new "Omen" { position = b.position + vec(0, 0, 4) }
    new "Idol" { name = "TheIdol", dataBlock = "OldIdol", age = 80, position = b.position + vec(-8 * math.sin(yaw), 8 * math.cos(yaw), 2) }
  end
end }
`

// TestPageShowsDescribedClasses: the program of the server has three Go classes that the program of
// the page lacks. The page gets into the game, draws an object by its look, and knows the other
// one.
func TestPageShowsDescribedClasses(t *testing.T) {
	b := openBrowser(t, 800, 600)
	config := modded("idols", idols)
	config.Register = registerIdols
	s, url, key := startGame(t, config)
	b.join(url, key, "Ann")
	b.peace(s)
	assert.Less(t, count(b.shot(), magenta), 100)
	line(t, s, "placeIdol")
	b.until(`Array.from(torc.view.things.known.values()).some((k) => k.look.signs.some((e) => e.text === "IDOL"))`)
	frame := eval[int](b, `torc.view.things.frame`)
	b.until(fmt.Sprintf(`torc.view.things.frame > %d`, frame+1))
	assert.Greater(t, count(b.shot(), magenta), least(), "the box is as large as the picture of a 3 m box 8 m away")
	b.picture("idol")

	eval[bool](b, `document.getElementById("hud").hidden = false, true`)
	b.press("Backquote", true)
	b.until(`!document.getElementById("menu").hidden`)
	run(b, chromedp.KeyEvent("ghosts\recho(\"holy \" .. tostring(find(\"OldIdol\").holy))\r"))
	b.until(`[" Idol ", " Omen ", "holy true"].every((text) => document.getElementById("output").textContent.includes(text))`)
	b.picture("idol-console")
	assert.Empty(t, b.complaints())
}
