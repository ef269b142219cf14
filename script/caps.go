package script

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
)

// caps limit the engine resources of one mod.
type caps struct {
	objects int // living objects made by new
	tags    int // texts of tagged strings
	timers  int // pending events
	blocks  int // declared datablocks
	classes int // classes declared in the session
	names   int // console names: commands and settings
	store   int // bytes of stored data
}

var defaultCaps = caps{objects: 65_536, tags: 65_536, timers: 4096, blocks: 4096, classes: 256, names: 1024, store: 16 << 20}

// luaWords are the keywords of Lua. A command with such a name would hide Lua code in the console.
var luaWords = strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while")

// checkConsoleName fails if a console name begins with a keyword of Lua or the mod has too many console
// names.
func (a Call) checkConsoleName(name string) {
	if first, _, _ := strings.Cut(name, "."); slices.Contains(luaWords, first) {
		a.Fail("%q is a word of Lua: it would be taken out of every line that begins with it", first)
	}
	have, s := 0, a.binding().scripts
	for _, m := range s.registered {
		if m == a.Mod {
			have++
		}
	}
	if have >= s.caps.names {
		a.Fail("a mod may have %d commands and settings", s.caps.names)
	}
}

// bind makes the caps console variables.
func (c *caps) bind(to *console.Console) error {
	for _, v := range []console.Var{
		{Name: "mod.maxObjects", Help: "limit of objects per mod", Value: console.Int(&c.objects, 1, 1<<24)},
		{Name: "mod.maxTags", Help: "limit of tagged strings per mod", Value: console.Int(&c.tags, 1, 1<<20)},
		{Name: "mod.maxTimers", Help: "limit of timers per mod", Value: console.Int(&c.timers, 1, 1<<20)},
		{Name: "mod.maxBlocks", Help: "limit of datablocks per mod", Value: console.Int(&c.blocks, 1, 1<<14)},
		{Name: "mod.maxClasses", Help: "limit of classes per mod", Value: console.Int(&c.classes, 1, 1<<10)},
		{Name: "mod.maxNames", Help: "limit of commands and settings per mod", Value: console.Int(&c.names, 1, 1<<16)},
		{Name: "mod.maxStore", Help: "limit of stored bytes per mod", Value: console.Int(&c.store, 0, 1<<30)},
	} {
		if err := to.Bind(v); err != nil {
			return err
		}
	}
	return nil
}
