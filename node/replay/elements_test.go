package replay_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// panel is a mod with elements of each kind of row, for its players and for spectators. They change
// by lots, by the round-trip times and by what players press. An element has a picture, and a form
// opens beside it.
const panel = `
Disc = datablock "ItemData" "Disc" { mass = 2 }
pressed = 0
local function rows(client)
  return {
    { kind = "text", text = client.name .. " " .. pressed },
    { kind = "bar", text = "Luck", value = math.random() },
    { kind = "table", columns = { "Ping", "Name" }, rows = { { math.ceil(client.ping), client.name }, { math.random(9), "Bob" } } },
    { kind = "look", text = "A disc", look = Disc },
    { kind = "image", text = "A dot", picture = "dot" },
  }
end
every(96, function()
  for client in clientGroup:each() do
    client:hud { name = "state", at = "top right", rows = rows(client) }
    if math.random() < 0.3 then client:closeHud "lot" else client:hud { name = "lot", at = "left", rows = { { kind = "text", text = tostring(math.random(9)) } } } end
  end
  hudToWatchers { name = "scores", at = "center", rows = { { kind = "text", text = "lot " .. math.random(9) } } }
end)
function serverCmd.Press(client)
  pressed = pressed + math.random(9)
  client:form { name = "pressed", title = "Pressed", rows = { { kind = "text", text = "number " .. pressed }, { kind = "button", text = "Good" } }, done = function() end }
end
addCommand { name = "over", run = function()
  for c in clientGroup:each() do c:closeHud "state" end
  closeHudToWatchers "scores"
end }
`

// TestReplayOfElements checks that a journal has what elements of the HUD are made of: the replay
// of a match with elements, a form and a picture sends the same packets after the files are gone.
// So it does over a reload of the mod, and after its end.
func TestReplayOfElements(t *testing.T) {
	dir := modFolder(t, panel)
	dot, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "diary", "pictures"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "diary", "pictures", "dot.webp"), dot, 0o600))
	var file bytes.Buffer
	v := nodetest.NewVirtual(t, node.Config{
		Common: node.Common{Mods: []fs.FS{os.DirFS(dir)}, Vars: []node.Var{{Name: "sv.maxWatchers", Value: "1"}, {Name: "sv.watchDelay", Value: "0.5"}}},
		Server: node.ServerConfig{Load: []string{"diary"}, Journal: &node.Journal{Writer: &file}},
	}, 2)
	v.Change = func(_ int, c *node.ClientConfig) { c.Watch = true }
	v.AddClient(t, 2, node.Config{})
	line := func(c interface{ Exec(string) (string, error) }, text string) {
		_, err := c.Exec(text)
		require.NoError(t, err, text)
	}
	shown := func(client int) []*form.Element { return v.Clients[client].Host().Server().Forms().Elements() }
	v.Run(t, 4*time.Second)
	for n := range 6 {
		line(v.Clients[n%2].Console(), `commandToServer "Press"`)
		v.Run(t, 300*time.Millisecond)
	}
	state := shown(0)[0]
	assert.Equal(t, "state", state.Name)
	assert.Equal(t, dot, state.Rows[4].Picture.Data)
	assert.NotContains(t, state.Rows[0].Text, " 0")
	assert.Len(t, v.Clients[0].Host().Server().Forms().Shown(), 1)
	require.Len(t, shown(2), 1)
	assert.True(t, strings.HasPrefix(shown(2)[0].Rows[0].Text, "lot "))
	line(v.Server.Console(), "mod reload diary")
	v.Run(t, 500*time.Millisecond)
	require.NotEmpty(t, shown(0), "the new state shows them again")
	line(v.Server.Console(), "over")
	v.Run(t, 500*time.Millisecond)
	line(v.Server.Console(), "mod disable diary")
	v.Run(t, 5*time.Second) // spectators see it later
	for i := range v.Clients {
		assert.Empty(t, shown(i), fmt.Sprint("client ", i))
	}
	require.NoError(t, v.Server.Close())
	require.NoError(t, os.RemoveAll(dir))

	r, err := runAgain(t, file.Bytes(), replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, v.Server.Host().TickNumber(), r.Tick())

	other := modFolder(t, strings.Replace(panel, `text = "Luck"`, `text = "Fate"`, 1))
	require.NoError(t, os.Mkdir(filepath.Join(other, "diary", "pictures"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(other, "diary", "pictures", "dot.webp"), dot, 0o600))
	r, err = runAgain(t, file.Bytes(), replay.Config{Mods: os.DirFS(other)})
	assert.ErrorIs(t, err, io.EOF)
	assert.NotEmpty(t, r.Difference(), "another text of an element is found")
}
