package admin

import (
	"fmt"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
)

// Over plain HTTP somebody on the path can replace the page, and so learn the key of the player.
// With it they could join as that player, also with the program. So a key that was used on such a
// page holds no role.

// plain reports whether a player is on a page over plain HTTP.
func (a *Admin) plain(c *engine.Connection) bool {
	return a.Plain != nil && a.Plain(c.Line.Addr())
}

// unsafe reports whether others can know the key of a player.
func (a *Admin) unsafe(c *engine.Connection) bool { return a.plain(c) || a.Rights.Exposed(c.Key()) }

// withoutRoles reports whether a player holds no role, whatever the list says.
func (a *Admin) withoutRoles(c *engine.Connection) bool { return !a.plainRoles && a.unsafe(c) }

// roles returns the roles of a player, sorted. sv.plainRoles lets a key that others can know hold
// those of this server. Nothing lets it hold those of a fleet.
func (a *Admin) roles(c *engine.Connection) []string {
	if a.unsafe(c) {
		return a.Rights.Own(c.Key())
	}
	return a.Rights.Roles(c.Key())
}

// atRisk reports whether a player has roles that a thief of the key must not get.
func (a *Admin) atRisk(key seal.Key) bool {
	roles := len(a.Rights.Roles(key))
	if a.plainRoles { // then only those of a fleet
		return roles > len(a.Rights.Own(key))
	}
	return roles > 0
}

// NotePlain notes the keys with a role that are used on a page over plain HTTP now. Call it once a
// second.
func (a *Admin) NotePlain() {
	if a.plainRoles && a.Rights.Fleet == nil {
		return
	}
	for _, c := range a.inbound() {
		if a.plain(c) && a.atRisk(c.Key()) && !a.Rights.Exposed(c.Key()) {
			a.Record("server", fmt.Sprintf("%s was used over plain HTTP, and no longer holds its roles", c.Key()), a.Rights.Expose(c.Key()))
		}
	}
}

// exposed is the error of a role for a key that is or was on a page over plain HTTP; nil for any
// other key. here says that the role holds for this server only.
func (a *Admin) exposed(who string, key seal.Key, here bool) error {
	found := a.Rights.Exposed(key)
	for _, c := range a.inbound() {
		found = found || c.Key() == key && a.plain(c)
	}
	if !found || a.plainRoles && here {
		return nil
	}
	instead := "use HTTPS or the program"
	if here {
		instead += ", or set sv.plainRoles"
	}
	return fmt.Errorf("%s plays over plain HTTP, where others on the network can steal the key: %s", console.Quote(who), instead)
}
