package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
)

// memoryRights implements Rights in memory: permissions as "mod permission", and no roles.
type memoryRights map[string]bool

func (g memoryRights) Roles(*engine.Connection) []string   { return nil }
func (g memoryRights) Muted(*engine.Connection) string     { return "" }
func (g memoryRights) May(*engine.Connection, string) bool { return false }
func (g memoryRights) Granted(mod, permission string) bool { return g[mod+" "+permission] }

func (g memoryRights) Grant(mod, permission string, on bool) error {
	if !on {
		delete(g, mod+" "+permission)
		return nil
	}
	g[mod+" "+permission] = true
	return nil
}

func (g memoryRights) Grants() string { return strings.Join(slices.Sorted(maps.Keys(g)), "\n") }
