package replay_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// gallery is a mod that shows its picture to everybody.
const gallery = `
addCommand { name = "gallery", run = function()
  for c in clientGroup:each() do
    c:form { name = "gallery", rows = {{ kind = "image", picture = "dot", text = "A dot" }}, done = function() end }
  end
end }
`

// TestReplayOfPictures checks that a journal has the pictures of mods by their content: the replay
// sends the same packets after the file is gone. The client's program gets the bytes.
func TestReplayOfPictures(t *testing.T) {
	dir := modFolder(t, gallery)
	dot, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	pictures := filepath.Join(dir, "diary", "pictures")
	require.NoError(t, os.Mkdir(pictures, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(pictures, "dot.webp"), dot, 0o600))
	var file bytes.Buffer
	cfg := node.Config{
		Common: node.Common{Mods: []fs.FS{os.DirFS(dir)}},
		Server: node.ServerConfig{Load: []string{"diary"}, Journal: &node.Journal{Writer: &file}},
	}
	v := nodetest.NewVirtual(t, cfg, 0)
	var got []byte
	v.Change = func(_ int, c *node.ClientConfig) {
		c.Forms = func(shown []*form.Form) {
			for _, f := range shown {
				if p := f.Rows[0].Picture; p != nil {
					got = p.Data
				}
			}
		}
	}
	v.AddClient(t, 0, cfg)
	v.Run(t, 2*time.Second)
	_, err = v.Server.Console().Exec("gallery")
	require.NoError(t, err)
	v.Run(t, 3*time.Second)
	require.True(t, v.Clients[0].Ready())
	assert.Equal(t, dot, got)
	require.NoError(t, v.Server.Close())
	require.NoError(t, os.RemoveAll(dir))

	r, err := runAgain(t, file.Bytes(), replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
}
