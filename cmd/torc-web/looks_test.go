//go:build !js

package main

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
)

// relics is a mod with a class, a weapon and looks that no client has. A command puts a relic in
// front of the player.
const relics = `
datablock "StaticShapeData" "RelicData" {
  look = {
    { "box", size = vec(3, 3, 3), color = "#ff00c8", glow = 1 },
    { "label", text = "<b>RELIC</b>", size = 0.6, at = vec(0, 0, 2.4) },
    { "sound", pitch = 300, volume = 0.1, loop = true },
  },
}
Relic = class "Relic" { inherit = "StaticShape", fields = { state = str(16) } }

datablock "ProjectileData" "Comet" {
  muzzleVelocity = 20, lifetime = 20000, gravityMod = 0,
  look = { { "sphere", size = 1, color = "#00ff90", glow = 1 }, { "trail", color = "#00ff90", life = 5 } },
}
CometLauncher = datablock "ShapeBaseImageData" "CometLauncher" {
  projectile = "Comet", fireTimeout = 500, look = { { "cone", size = 0.5, at = vec(0, 0.4, 0), color = "#00ff90", glow = 1 } },
}

local function body()
  for client in clientGroup:each() do return client.controlObject end
end

addCommand { name = "placeRelic", params = "", description = "places a relic", run = function()
  local b = body()
  local yaw = math.rad(b.rotation.yaw)
  new "Relic" { name = "TheRelic", dataBlock = "RelicData", position = b.position + vec(-8 * math.sin(yaw), 8 * math.cos(yaw), 2) }
end }

addCommand { name = "armPlayer", params = "", description = "arms the player", run = function() body():mountImage("CometLauncher") end }
`

// withMod starts a server of ctf and of a mod, without bots.
func withMod(t *testing.T, name, code string) (server *node.Server, url, key string) {
	t.Helper()
	return startGame(t, modded(name, code))
}

// modded is the configuration of a server of ctf and of a mod, without bots.
func modded(name, code string) node.Config {
	return node.Config{
		Server: node.ServerConfig{Load: []string{"ctf", name}}, Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "0"}},
			Mods: []fs.FS{fstest.MapFS{
				name + "/mod.toml":        {Data: []byte("name = \"" + name + "\"\nversion = \"1.0.0\"\n")},
				name + "/shared/init.lua": {Data: []byte(code)},
			}}},
	}
}

// line runs a line on the console of the server.
func line(t *testing.T, s *node.Server, text string) {
	t.Helper()
	var out string
	var err error
	require.NoError(t, s.Do(func() { out, err = s.Console().Exec(text) }))
	require.NoError(t, err, out)
}

// shot returns the picture of the page without what lies over it.
func (b *browser) shot() image.Image {
	b.t.Helper()
	run(b, chromedp.Evaluate[chromedp.Void](`document.getElementById("hud").hidden = true`))
	picture, err := png.Decode(bytes.NewReader(run(b, chromedp.CaptureScreenshot())))
	require.NoError(b.t, err)
	return picture
}

// count returns the number of pixels that a function accepts.
func count(picture image.Image, is func(r, g, b uint32) bool) (n int) {
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); is(r>>8, g>>8, b>>8) {
				n++
			}
		}
	}
	return n
}

// least is how many pixels the box has at least.
func least() int {
	if large() {
		return 4000
	}
	return 1000
}

func magenta(r, g, b uint32) bool { return r > 150 && b > 100 && g < 90 }
func acid(r, g, b uint32) bool    { return g > 200 && r < 175 && b < 205 && g > r+50 }

// TestPageShowsWhatNoClientHasEverSeen: the page embeds only base. A mod of the server declares a
// class, a weapon and looks, and changes a look while the game runs.
func TestPageShowsWhatNoClientHasEverSeen(t *testing.T) {
	b := openBrowser(t, 800, 600)
	s, url, key := withMod(t, "relics", relics)
	b.join(url, key, "Ann")
	b.peace(s)
	before := b.shot()
	assert.Less(t, count(before, magenta), 100)
	line(t, s, "placeRelic")
	const relic = `Array.from(torc.view.things.known.values()).find((k) => k.look.signs.some((e) => e.text === "<b>RELIC</b>"))`
	b.until(relic)
	frame := eval[int](b, `torc.view.things.frame`)
	b.until(fmt.Sprintf(`torc.view.things.frame > %d`, frame+1))
	shown := count(b.shot(), magenta)
	b.picture("relic")
	assert.Greater(t, shown, least(), "the box is as large as the picture of a 3 m box 8 m away")

	line(t, s, `local l = find("RelicData").look l[1].color = "#00ff90" l[2].text = "changed" find("RelicData").look = l`)
	b.until(`Array.from(torc.view.things.known.values()).some((k) => k.look.signs.some((e) => e.text === "changed"))`)
	frame = eval[int](b, `torc.view.things.frame`)
	b.until(fmt.Sprintf(`torc.view.things.frame > %d`, frame+1))
	changed := b.shot()
	b.picture("relic-changed")
	assert.Less(t, count(changed, magenta), 100)
	assert.Greater(t, count(changed, acid), least())
	line(t, s, `find("TheRelic"):startFade(0, 0, true) find("TheRelic").fade = 0.8`)
	b.until(`Array.from(torc.view.things.known.values()).some((k) => k.fade > 0.7 && k.fade < 0.9) && torc.view.things.batches.fadedBatches.length === 1`)
	frame = eval[int](b, `torc.view.things.frame`)
	b.until(fmt.Sprintf(`torc.view.things.frame > %d`, frame+1))
	faded := b.shot()
	b.picture("relic-faded")
	assert.Less(t, count(faded, acid), least()/2)
	line(t, s, `find("TheRelic").fade = 1`)
	b.until(`Array.from(torc.view.things.known.values()).some((k) => k.fade === 1) && torc.view.things.batches.fadedBatches[0].mesh.visible === false`)
	line(t, s, `find("TheRelic"):delete()`)

	line(t, s, "armPlayer")
	b.until(`torc.view.things.own && torc.view.things.looks.get(torc.view.things.own.held).parts.some((e) => e.kind === "cone")`)
	eval[bool](b, `torc.input.hold("fire", true), true`)
	b.until(`Array.from(torc.view.things.known.values()).some((k) => k.kind === "shot" && k.look.trails.length === 1 && k.look.parts[0].kind === "sphere")`)
	b.picture("comet")
	assert.Empty(t, b.complaints())
}

// TestSoundsBeginWithAClick: browsers allow no sound before. A shot is heard, and a look that loops
// sounds on.
func TestSoundsBeginWithAClick(t *testing.T) {
	b := openBrowser(t, 640, 480)
	s, url, key := withMod(t, "relics", relics)
	b.join(url, key, "Ann")
	b.peace(s)
	assert.True(t, eval[bool](b, `torc.view.sounds.context === undefined`))
	run(b, chromedp.MouseClickXY(320, 240))
	b.until(`torc.view.sounds.context?.state === "running"`)
	line(t, s, "placeRelic")
	b.until(`torc.view.sounds.loops.size > 0`)
	played := eval[int](b, `torc.view.sounds.played`)
	eval[bool](b, `torc.input.hold("fire", true), true`)
	b.until(fmt.Sprintf(`torc.view.sounds.played > %d && torc.view.sounds.voices > 0`, played))
	eval[bool](b, `torc.input.hold("fire", false), true`)
	line(t, s, `find("TheRelic"):delete()`)
	b.until(`!Array.from(torc.view.sounds.loops.values()).some((l) => l.s.pitch === 300)`)
	b.until(`torc.view.sounds.voices === 0`)
	assert.Empty(t, b.complaints())
}

// TestPictureOfTheCatalogue draws docs/looks.jpg. With TORC_PICTURES=DIR it stays there.
func TestPictureOfTheCatalogue(t *testing.T) {
	b := openBrowser(t, 1200, 720)
	s, url, key := withMod(t, "catalogue", catalogue())
	b.join(url, key, "Ann")
	b.peace(s)
	line(t, s, "showCatalogue")
	b.until(`Array.from(torc.view.things.known.values()).filter((k) => k.look.signs.some((e) => e.kind === "label")).length >= 24`)
	// The camera hangs in front of the objects, high in the air.
	run(b, chromedp.Evaluate[chromedp.Void](`torc.view.look = () => {
		const c = torc.view.camera;
		c.position.set(0, -14.5, 205.6); c.rotation.set(Math.PI / 2 - 0.03, 0, 0, "XYZ"); c.fov = 32; c.updateProjectionMatrix(); c.updateMatrixWorld();
	}, torc.view.things.hold = () => {}`))
	frame := eval[int](b, `torc.view.things.frame`)
	b.until(fmt.Sprintf(`torc.view.things.frame > %d`, frame+12))
	picture := b.shot()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, picture, &jpeg.Options{Quality: 82}))
	assert.Less(t, out.Len(), 190_000)
	b.picture("catalogue")
	path := filepath.Join(b.pictures, "looks.jpg")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	t.Log(path)
	assert.Empty(t, b.complaints())
}

// catalogue returns a mod whose command puts an object for each kind of element into the air.
func catalogue() string {
	rows := [][]string{
		{
			`box|{ "box", size = 1, color = "red" }`, `sphere|{ "sphere", size = 1.1, color = "orange" }`, `capsule|{ "capsule", size = vec(0.6, 0.6, 1.3), color = "yellow" }`,
			`cylinder|{ "cylinder", size = vec(0.9, 0.9, 1.2), color = "green" }`, `cone|{ "cone", size = vec(1, 1, 1.3), color = "cyan" }`,
			`torus|{ "torus", size = vec(1.3, 1.3, 1.5), rotation = rot(0, 60, 0), color = "blue" }`, `plane|{ "plane", size = 1.2, rotation = rot(0, 60, 0), color = "purple" }`,
			`cloth|{ "cloth", size = vec(1.3, 1, 0.9), at = vec(-0.6, 0, 0), color = "pink" }`,
		},
		{
			`glow|{ "sprite", image = "glow", size = 1.5, color = "orange" }`, `ring|{ "sprite", image = "ring", color = "cyan" }`, `star|{ "sprite", image = "star", color = "yellow" }`,
			`flare|{ "sprite", image = "flare", size = 1.5 }`, `cross|{ "sprite", image = "cross", color = "red" }`, `arrow|{ "sprite", image = "arrow", color = "green" }`,
			`smoke|{ "sprite", image = "smoke", size = 1.5 }`, `dot|{ "sprite", image = "dot", color = "pink" }`,
		},
		{
			`flame|{ "flame", size = vec(0.6, 0.6, 1.3) }`, `jet|{ "jet", at = vec(0, 0, 0.6), rate = 60 }`, `smoke |{ "smoke", at = vec(0, 0, -0.5), rate = 30, color = "#606060" }`,
			`sparks|{ "sparks", rate = 80, spread = 2 }`, `glow = 1|{ "box", size = 0.9, color = "#ff00c8", glow = 1 }`, `label|{ "label", text = "Hello", size = 0.8, color = "yellow" }`,
			`color = "team"|{ "sphere", size = 1.1 }`, `spin = 90|{ "box", size = vec(1.2, 0.3, 0.3), color = "cyan", spin = 90 }, { "box", size = vec(0.3, 1.2, 0.3), spin = 90 }`,
		},
	}
	var b strings.Builder
	b.WriteString("local all = {}\n")
	for y, row := range rows {
		for x, item := range row {
			name, parts, _ := strings.Cut(item, "|")
			fmt.Fprintf(&b, `datablock "StaticShapeData" "Item%d%d" { look = { %s, { "label", text = %q, size = 0.36, at = vec(0, 0, -1.05) } } }
all[#all + 1] = { "Item%[1]d%[2]d", vec(%[5]g, 0, %[6]g) }
`, x, y, parts, name, float64(x)*2.1-7.35, 208.5-float64(y)*2.9)
		}
	}
	return b.String() + `
datablock "StaticShapeData" "Backdrop" { look = { { "box", size = vec(22, 0.2, 12), color = "#1c2127", glow = 1 } } }
addCommand { name = "showCatalogue", params = "", description = "shows all", run = function()
  new "StaticShape" { dataBlock = "Backdrop", position = vec(0, 3, 205.4) }:setScopeAlways()
  for _, one in ipairs(all) do new "StaticShape" { dataBlock = one[1], position = one[2], team = 1 }:setScopeAlways() end
end }
`
}
