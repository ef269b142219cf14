package script_test

import (
	"encoding/base64"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/form"
)

// Two pictures of one pixel.
var (
	dotWebP = decoded("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	dotVP8  = decoded("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
)

func decoded(text string) string {
	b, _ := base64.StdEncoding.DecodeString(text)
	return string(b)
}

// shownPicture returns the bytes of the picture in the first row of the first form, or "".
func (p *pair) shownPicture() string {
	for _, f := range p.client.host.Server().Forms().Shown() {
		if f.Rows[0].Kind == form.Image && f.Rows[0].Picture != nil {
			return string(f.Rows[0].Picture.Data)
		}
	}
	return ""
}

// TestPicturesOfAModInAForm: the client gets the bytes, also the new ones after a reload, and a
// terminal shows the text.
func TestPicturesOfAModInAForm(t *testing.T) {
	folder := files(map[string]string{"m/pictures/sword.webp": dotWebP, "m/server/init.lua": `
		function open(name)
			clientGroup:at(1):form { name = "shop", title = "Shop", rows = {{ kind = "image", picture = name, text = "A sword" }}, done = function() end }
		end
		export("open", open)`}).(fstest.MapFS)
	p := joinFolders(t, nil, folder, files(nil), "m")
	p.server.line(`import("m").open "sword"`)
	p.run(settle)
	assert.Equal(t, dotWebP, p.shownPicture())
	p.client.steps(step{`form`, "Shop\nA sword"})
	p.server.steps(step{`import("m").open "swrod"`, `~rows[1].picture = "swrod": the mod has no such file in its folder pictures: did you mean "sword"?`},
		step{`import("m").open(5)`, `~rows[1].picture must be the name of a picture, not a number`})

	folder["m/pictures/sword.webp"] = &fstest.MapFile{Data: []byte(dotVP8), ModTime: time.Unix(1, 0)}
	require.NoError(t, p.server.scripts.ReloadNow("m"))
	p.server.line(`import("m").open "sword"`)
	p.run(settle)
	assert.Equal(t, dotVP8, p.shownPicture())

	folder["m/pictures/sword.webp"] = &fstest.MapFile{Data: []byte("<svg/>"), ModTime: time.Unix(2, 0)}
	assert.ErrorContains(t, p.server.scripts.ReloadNow("m"), "m/pictures/sword.webp: it must be a PNG, JPEG or WebP")
	p.server.line(`import("m").open "sword"`)
	p.run(settle)
	assert.Equal(t, dotVP8, p.shownPicture(), "the old mod runs on")
	assert.Empty(t, p.client.log)
}

// TestAWrongPictureStopsItsMod with a sentence that names the mod's file. Its client side is not
// concerned.
func TestAWrongPictureStopsItsMod(t *testing.T) {
	wrong := files(map[string]string{"m/pictures/map.png": "GIF89a", "m/server/init.lua": ``, "m/client/init.lua": `echo "here"`})
	bad := newHalf(t, 1, true, wrong).scripts.LoadMods("base", "m")
	require.Len(t, bad, 1)
	assert.EqualError(t, bad[0], "mod m is not loaded: mods/m/pictures/map.png: it must be a PNG, JPEG or WebP")
	newHalf(t, 2, false, wrong).load("m")
}
