// Package admin has the commands of a server's administrator: kicks, bans, mutes and roles. Servers
// and the tests of mods share it, so a command does the same in both.
//
//	admin.go    the administration, and the refusal of banned players
//	players.go  finds players by id, name or key
//	recent.go   the last players who were here, and their file
//	kick.go     kick, ban, unban, bans, recent
//	lists.go    mute, unmute, mutes, allow, disallow, allowed, sv.allowedOnly
//	roles.go    role, role.give, role.take, role.allow, role.deny, audit
//	fleet.go    changes for all servers of a fleet, and the option --here
//	plain.go    no roles for keys of pages over plain HTTP, sv.plainRoles
package admin

import (
	"net/netip"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/audit"
	"github.com/torc-engine/torc/node/internal/bans"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/rights"
)

// Admin is the administration of one server. It belongs to the goroutine that owns the server.
type Admin struct {
	core.Passive
	Host    *engine.Host
	Console *console.Console
	Bans    *bans.List
	Mutes   *bans.List
	Allowed *bans.List
	Rights  *rights.List
	Recent  *Recent
	Audit   *audit.Log
	Now     func() time.Time // the clock of bans
	// Plain reports whether a browser at an address has its page over plain HTTP; nil knows no
	// browsers.
	Plain func(netcore.Addr) bool
	// Fleet takes the changes of lists that do not hold for this server only; nil: there is none.
	Fleet Fleet
	// Answer returns the function that answers the console line that runs, when a command is done
	// later. Only a Fleet needs it.
	Answer func() func(out string, err error)

	plainRoles  bool   // sv.plainRoles
	voiceRole   string // sv.voiceRole
	allowedOnly bool   // sv.allowedOnly
}

// Commands returns the console commands.
func (a *Admin) Commands() []console.Command {
	return slices.Concat(a.kickCommands(), a.listCommands(), a.roleCommands())
}

// Variables returns the console variables.
func (a *Admin) Variables() []console.Var {
	return []console.Var{
		{Name: "sv.allowedOnly", Help: "lets only the players of the list of allowed players join", Value: console.Bool(&a.allowedOnly)},
		{Name: "sv.voiceRole", Help: "the role that players need to talk by voice; empty lets everybody talk", Value: console.Func(func() string { return a.voiceRole }, a.setVoiceRole)},
		{Name: "sv.plainRoles", Help: "players hold their roles also on a page over plain HTTP, where others on the network can steal their key", Value: console.Bool(&a.plainRoles)},
	}
}

// Close closes the audit log.
func (a *Admin) Close() error {
	if a.Audit != nil {
		a.Audit.Close()
	}
	return nil
}

// Record adds an entry to the audit log: by did something, and err is the reason if it failed.
func (a *Admin) Record(by, did string, err error) { a.Audit.Record(by, did, err) }

// Gate returns scripts that refuse banned players before any mod is asked. It also notes players
// who come and leave.
func (a *Admin) Gate(s engine.Scripts) engine.Scripts { return gate{s, a} }

type gate struct {
	engine.Scripts
	admin *Admin
}

func (g gate) ConnectRequest(c *engine.Connection, args []string) (refuse string) {
	if refuse = g.admin.refusal(c, c.Address()); refuse != "" {
		return refuse
	}
	return g.Scripts.ConnectRequest(c, args)
}

func (g gate) StillRefuses(c *engine.Connection) (refuse string) {
	if refuse = g.admin.refusal(c, c.Address()); refuse != "" {
		return refuse
	}
	return g.Scripts.StillRefuses(c)
}

func (g gate) EnteredGame(c *engine.Connection) {
	g.admin.entered(c)
	g.Scripts.EnteredGame(c)
}

func (g gate) Dropped(c *engine.Connection, reason string) {
	g.admin.note(c)
	g.Scripts.Dropped(c, reason)
}

// Knows reports whether the player with a key was here before, or holds a role.
func (a *Admin) Knows(key seal.Key) bool {
	return len(a.Rights.Roles(key)) > 0 || slices.ContainsFunc(a.Recent.left, func(p formerPlayer) bool { return p.key == key })
}

// MayMove reports whether a player can go on with another address.
func (a *Admin) MayMove(c *engine.Connection, address string) bool {
	return a.refusal(c, address) == ""
}

// refusal returns why a player cannot play from an address, or "".
func (a *Admin) refusal(c *engine.Connection, address string) string {
	if b, banned := a.Bans.Find(c.Key(), ipOf(address), a.Now()); banned {
		return "banned: " + b.Why(a.Now())
	}
	if !a.allowedOnly || address == localAddress {
		return ""
	}
	if !a.allowed(c.Key(), ipOf(address)) {
		return "only players whom the operator has allowed can join this server"
	}
	return ""
}

// allowed reports whether a player is in the list of allowed players. Everybody who has the
// credentials of the fleet can write into its list, so that counts only if the operator trusts the
// fleet with roles.
func (a *Admin) allowed(key seal.Key, address netip.Addr) (found bool) {
	if a.Rights.Trust.Any() {
		_, found = a.Allowed.Find(key, address, a.Now())
	} else {
		_, found = a.Allowed.Own(key, address, a.Now())
	}
	return found
}

// muted returns why a player is muted, or "".
func (a *Admin) muted(c *engine.Connection) string {
	if b, muted := a.Mutes.Find(c.Key(), ipOf(c.Address()), a.Now()); muted {
		return b.Why(a.Now())
	}
	return ""
}

// MayTalk says whether a player can talk by voice. A muted player is silent there, too.
func (a *Admin) MayTalk(c *engine.Connection) voice.Permit {
	switch {
	case a.muted(c) != "":
		return voice.Muted
	case a.voiceRole != "" && !slices.ContainsFunc(a.Permits().Roles(c), func(r string) bool { return r == a.voiceRole || r == rights.Admin }):
		return voice.Roleless
	}
	return voice.May
}

// setVoiceRole sets sv.voiceRole.
func (a *Admin) setVoiceRole(role string) error {
	if role != "" {
		if err := rights.CheckRole(role); err != nil {
			return err
		}
	}
	a.voiceRole = role
	return nil
}

// ipOf returns the IP address in HOST:PORT. It is invalid for players without a network.
func ipOf(address string) netip.Addr {
	at, _ := netip.ParseAddrPort(address) // the zero value is invalid
	return at.Addr()
}
