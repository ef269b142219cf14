package replay_test

import (
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
)

// hooked is a mod with a package and hooks of changed fields. Each call takes a random number, so a
// call that a replay makes more, less or in another order shows in everything behind it.
const hooked = `
GemData = datablock "ItemData" "GemData" { mass = 1 }
Gem = class "Gem" { inherit = "Item", fields = { value = int(0, 1000) } }
calls, moved, steps, twice = 0, 0, 0, 0
function Gem:onFieldChange(field, old, new)
  calls = calls + 1
  if field == "value" and new % 3 == 0 then self.value = math.random(0, 9) end
end
function GemData:onFieldChange(gem, field, old, new) calls = calls + math.random(2) end
override("Player", "onFieldChange", function(parent, body, field)
  if field == "position" then moved = moved + math.random(2) end
end)
export("told", function() return calls > 100, moved > 100, twice > 10, steps > 100, steps < 180 end)
export("step", function() steps = steps + 1 gem.value = math.random(0, 1000) end)
override(import "diary", "step", function(parent) twice = twice + math.random(2) parent() return parent() end, "Twice")
gem = new "Gem" { dataBlock = GemData, position = vec(0, 0, 30) }
Runner = datablock "PlayerData" "Runner" {}
new "Player" { dataBlock = Runner, position = vec(0, 0, 900) }
spawn(function()
  for i = 1, 100 do
    wait(64)
    import("diary").step()
    if i % 8 == 0 then activatePackage "Twice" elseif i % 8 == 5 then deactivatePackage "Twice" end
  end
end)
`

// TestReplayOfHooks checks that functions which run for changed fields, and those of packages, run
// at the same places in a replay.
func TestReplayOfHooks(t *testing.T) {
	s := newStory(t, func(c *node.Config) {
		c.Mods, c.Vars = []fs.FS{os.DirFS(modFolder(t, hooked))}, []node.Var{{Name: "sv.bots", Value: "3"}}
		c.Server.Load = []string{"diary"}
	})
	s.Run(t, 4*time.Second)
	s.line(`= import("diary").step()`)
	s.Run(t, 2*time.Second)
	out, err := s.Server.Console().Exec(`= import("diary").told()`)
	require.NoError(t, err)
	assert.Equal(t, "true\ttrue\ttrue\ttrue\ttrue", out)
	s.Server.Quit("over")
	s.replays(s.ends(io.EOF))
}
