// Package admin has the commands of a server's administrator: kicks, bans and roles. Servers and
// the tests of mods share it, so a command does the same in both.
//
//	admin.go    the administration, and the refusal of banned keys
//	players.go  finds players by id, name or key
//	kick.go     kick, ban, unban, bans
//	roles.go    role, role.give, role.take, role.allow, role.deny, audit
package admin

import (
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/internal/audit"
	"github.com/torc-engine/torc/engine/node/internal/bans"
	"github.com/torc-engine/torc/engine/node/internal/rights"
)

// Admin is the administration of one server. It belongs to the goroutine that owns the server.
type Admin struct {
	Host    *engine.Host
	Console *console.Console
	Bans    *bans.List
	Rights  *rights.List
	Audit   *audit.Log
	Now     func() time.Time // by which bans end
}

// Commands returns the console commands.
func (a *Admin) Commands() []console.Command { return append(a.kickCommands(), a.roleCommands()...) }

// Record adds an entry to the audit log: by did something, and err is the reason if it failed.
func (a *Admin) Record(by, did string, err error) { a.Audit.Record(by, did, err) }

// Gate returns scripts that refuse banned keys before any mod is asked.
func (a *Admin) Gate(s engine.Scripts) engine.Scripts { return gate{s, a} }

type gate struct {
	engine.Scripts
	admin *Admin
}

func (g gate) ConnectRequest(c *engine.Connection, args []string) (refuse string) {
	if refuse = g.admin.Bans.Refusal(c.Key(), g.admin.Now()); refuse != "" {
		return refuse
	}
	return g.Scripts.ConnectRequest(c, args)
}
