package replay_test

import (
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/node"
)

// checks is a mod that defers each connect request. It lets in A after the answer of a web service
// and B after three seconds, and refuses C.
const checks = `
function GameConnection.onConnectRequest(client)
  local ok = client:defer("checking " .. client.name)
  if client.name == "A" then
    http.get("http://example.org/", function() echo("A", ok(), ok()) end)
  elseif client.name == "B" then
    schedule(1000, function() client:defer("still checking") end)
    schedule(3000, function() echo("B", ok()) end)
  else
    schedule(500, function() echo("C", ok("not C")) end)
  end
end
`

// TestReplayOfDeferredRequests checks that connect requests which a mod answers later are answered
// at the same ticks in a replay, although it lacks the packets by which clients wait.
func TestReplayOfDeferredRequests(t *testing.T) {
	s := newStory(t, func(c *node.Config) {
		c.Mods, c.Vars = []fs.FS{os.DirFS(modFolder(t, checks))}, nil
		c.Server.Load = []string{"diary"} // ctf changes the mission, and that refuses requests
	})
	s.Banned[2] = true
	s.Run(t, 2*time.Second)
	assert.True(t, s.Clients[0].Ready())
	assert.False(t, s.Clients[1].Ready())
	s.Run(t, 4*time.Second)
	assert.True(t, s.Clients[1].Ready())
	assert.False(t, s.Clients[2].Ready())
	s.Server.Quit("over")
	s.replays(s.ends(io.EOF))
}
