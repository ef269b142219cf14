package node

import (
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node/internal/admin"
	"github.com/torc-engine/torc/node/internal/audit"
	"github.com/torc-engine/torc/node/internal/bans"
	"github.com/torc-engine/torc/node/internal/rights"
	"github.com/torc-engine/torc/script"
)

// An Administration gives a host without a node the commands of a server's administrator:
// kick, ban, unban, bans, role.give and so on. The tests of mods use it, so that a line does the
// same in a test and on a server. It keeps everything in memory.
type Administration struct{ admin *admin.Admin }

// Administer adds the commands to the console of a host. now is the time by which bans end.
func Administer(h *engine.Host, c *console.Console, now func() time.Time) (*Administration, error) {
	a := &admin.Admin{
		Host: h, Console: c, Bans: new(bans.List), Mutes: new(bans.List), Allowed: new(bans.List), Rights: new(rights.List), Recent: new(admin.Recent), Audit: audit.New(now), Now: now,
	}
	for _, command := range a.Commands() {
		if err := c.Register(command); err != nil {
			return nil, err
		}
	}
	for _, v := range a.Variables() {
		if err := c.Bind(v); err != nil {
			return nil, err
		}
	}
	return &Administration{a}, nil
}

// Gate returns scripts that refuse banned keys before any mod is asked.
func (a *Administration) Gate(s engine.Scripts) engine.Scripts { return a.admin.Gate(s) }

// Rights returns the roles given by the commands.
func (a *Administration) Rights() script.Rights { return a.admin.Permits() }
