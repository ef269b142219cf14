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

// withoutRoles reports whether a player holds no role, whatever the list says.
func (a *Admin) withoutRoles(c *engine.Connection) bool {
	return !a.plainRoles && (a.plain(c) || a.Rights.Exposed(c.Key()))
}

// NotePlain notes the keys with a role that are used on a page over plain HTTP now. Call it once a
// second.
func (a *Admin) NotePlain() {
	if a.plainRoles {
		return
	}
	for _, c := range a.inbound() {
		if a.plain(c) && len(a.Rights.Roles(c.Key())) > 0 && !a.Rights.Exposed(c.Key()) {
			a.Record("server", fmt.Sprintf("%s was used over plain HTTP, and no longer holds its roles", c.Key()), a.Rights.Expose(c.Key()))
		}
	}
}

// exposed is the error of a role for a key that is or was on a page over plain HTTP; nil for any
// other key.
func (a *Admin) exposed(who string, key seal.Key) error {
	found := a.Rights.Exposed(key)
	for _, c := range a.inbound() {
		found = found || c.Key() == key && a.plain(c)
	}
	if !found || a.plainRoles {
		return nil
	}
	return fmt.Errorf("%s plays over plain HTTP, where others on the network can steal the key: use HTTPS or the program, or set sv.plainRoles", console.Quote(who))
}
