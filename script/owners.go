package script

import (
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// blockOwners knows the mod that owns a function or a datablock.
type blockOwners struct {
	runtime *vm.Runtime
	classes *sim.Classes
	handler func(called bool, name string) (target, *commandRule, bool) // of a command
	blocks  map[string]string                                           // mod that declared a datablock first, by its name in lower case
}

// owns reports whether a name is that of a loaded mod other than m. The console owns nothing.
func (b *blockOwners) owns(owner string, m *vm.Mod) bool {
	return owner != m.Name && owner != manifest.Console && b.runtime.Mod(owner) != nil
}

// ownerOf returns the mod that owns a function: it exports it, handles the command, or has declared
// the datablock or class. It returns "" if no mod does.
func (b *blockOwners) ownerOf(key, name string) string {
	kind, of, _ := strings.Cut(key, ":")
	switch kind {
	case "import":
		return of
	case "block":
		return b.blocks[of]
	case "class":
		if c := b.classes.Lookup(of); c != nil && c.Spec() != nil {
			return c.Spec().Mod
		}
		return ""
	}
	if t, _, found := b.handler(key == "serverCmd", name); found {
		return t.mod.Name
	}
	return ""
}

// redeclaresBlock records the declaration of a datablock. It reports whether the files of its owner
// declare an existing datablock again. The declaration then starts from the defaults, so a field
// removed from the file has no effect any more. The owner is the mod that declared the datablock
// first. If that mod is no longer loaded, the next mod that declares it becomes the owner.
func (x *instance) redeclaresBlock(name string, override bool) bool {
	key, s := strings.ToLower(name), x.scripts
	owner, known := s.owners.blocks[key]
	if !known || !override && !s.owners.owns(owner, x.mod) && x.manifest != nil {
		owner = x.mod.Name
		s.owners.blocks[key] = owner
	}
	again := x.declaredBlocks[key]
	x.declaredBlocks[key] = true
	return known && !again && owner == x.mod.Name && x.mod.Loading
}
