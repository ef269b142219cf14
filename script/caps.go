package script

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
)

// caps are how much of the engine one mod may hold at a time.
type caps struct {
	objects int // made by new and alive
	tags    int // texts of tagged strings
	timers  int // pending events
	blocks  int // datablocks it has declared
	classes int // classes it has declared in the session
	names   int // of the console: commands and settings
	store   int // bytes of what it has stored
}

var defaultCaps = caps{objects: 65_536, tags: 65_536, timers: 4096, blocks: 4096, classes: 256, names: 1024, store: 16 << 20}

// luaWords begin lines of Lua, which are not to become commands of a mod.
var luaWords = strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while")

// mayName refuses a mod names of the console that are Lua's, and more than it may have.
func (a Args) mayName(name string) {
	if first, _, _ := strings.Cut(name, "."); slices.Contains(luaWords, first) {
		a.Fail("%q is a word of Lua: it would be taken out of every line that begins with it", first)
	}
	have, s := 0, a.ext().scripts
	for _, m := range s.registered {
		if m == a.Mod {
			have++
		}
	}
	if have >= s.caps.names {
		a.Fail("a mod may have %d commands and settings", s.caps.names)
	}
}

// bind makes the caps variables of the console.
func (c *caps) bind(to *console.Console) error {
	for _, v := range []console.Var{
		{Name: "mod.maxObjects", Help: "objects one mod may have", Value: console.Int(&c.objects, 1, 1<<24)},
		{Name: "mod.maxTags", Help: "tagged strings one mod may have", Value: console.Int(&c.tags, 1, 1<<20)},
		{Name: "mod.maxTimers", Help: "timers one mod may have", Value: console.Int(&c.timers, 1, 1<<20)},
		{Name: "mod.maxBlocks", Help: "datablocks one mod may declare", Value: console.Int(&c.blocks, 1, 1<<14)},
		{Name: "mod.maxClasses", Help: "classes one mod may declare", Value: console.Int(&c.classes, 1, 1<<10)},
		{Name: "mod.maxNames", Help: "commands and settings one mod may have", Value: console.Int(&c.names, 1, 1<<16)},
		{Name: "mod.maxStore", Help: "bytes one mod may store", Value: console.Int(&c.store, 0, 1<<30)},
	} {
		if err := to.Bind(v); err != nil {
			return err
		}
	}
	return nil
}
