package script_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// guide is the files of a mod that the guide's sections from..to show: blocks
// of Lua that begin with the name of a file.
func guide(t *testing.T, from, to string) map[string]string {
	page, err := os.ReadFile("../docs/mods.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "\n## "+from)
	require.True(t, ok, from)
	part, _, ok := strings.Cut(rest, "\n## "+to)
	require.True(t, ok, to)
	mod := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```lua\n-- (\\S+\\.lua)\n(.*?)```").FindAllStringSubmatch(part, -1) {
		mod["race/"+block[1]] += block[2]
	}
	return mod
}

func TestTheGuideToClassesAndScope(t *testing.T) {
	mod := guide(t, "8. ", "10. ")
	require.Len(t, mod, 3)
	client := map[string]string{"race/shared/classes.lua": mod["race/shared/classes.lua"], "race/client/init.lua": mod["race/client/init.lua"]}
	p := join(t, mod, client, "race")
	assert.Contains(t, p.client.line("race.flags"), "red base\t1")
	p.server.steps(
		step{`(function() for f in objects "Flag" do flag = f end end)()`, ``},
		step{`flag.heat = 0.5 return flag.home, flag.lit, flag:points(), clientGroup:at(1).scopeObject.className`, "vec(0, 0, 10)\ttrue\t1\t\"Item\""},
	)
	p.run(time.Second)
	p.server.steps(step{`flag.heat < 0.3`, `true`}, step{`flag.lit = false`, ``})
	p.run(2 * time.Second)
	assert.Equal(t, []string{"Flag has left"}, p.client.out)
	p.server.line(`flag:delete()`)
	p.run(time.Second)
	assert.Equal(t, []string{"red base is gone"}, p.server.out)
	assert.Empty(t, p.server.log)
	assert.Empty(t, p.client.log)
}
