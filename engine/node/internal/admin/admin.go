// Package admin is the administration of a server: who is thrown out, who is kept out, and who may do
// what. Servers and the tests of mods share it, so a line does the same on both.
//
//	admin.go    the administration, and the refusal of banned keys
//	players.go  finds the player that a line names
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

// Commands are the console commands of the administration.
func (a *Admin) Commands() []console.Command { return append(a.kickCommands(), a.roleCommands()...) }

// Record writes to the audit log who did what. err says why it did not work.
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
