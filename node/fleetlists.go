package node

import (
	"errors"
	"fmt"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/admin"
	"github.com/torc-engine/torc/node/internal/bans"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet"
	"github.com/torc-engine/torc/node/internal/rights"
)

// fleetLists stands between the lists of a server and those of its fleet. For the fleet it is the
// lists of the server, and for the commands of the operator it is the fleet.
type fleetLists struct {
	core.Passive
	admin *admin.Admin
	fleet *fleet.Service
}

// join adds the lists of a fleet to those of the server.
func (f *fleetLists) join(s *fleet.Service) {
	f.fleet = s
	for _, list := range []*bans.List{f.admin.Bans, f.admin.Mutes, f.admin.Allowed} {
		list.Fleet = &bans.Set{}
	}
	f.admin.Rights.Fleet = &rights.Set{}
	f.admin.Fleet = f
}

// Variables is fleet.trustRoles.
func (f *fleetLists) Variables() []console.Var {
	return []console.Var{{
		Name: "fleet.trustRoles", Help: "roles that the fleet can give on this server, or none; then its list of allowed players counts, too",
		Value: console.Func(func() string { return f.admin.Rights.Trust.String() }, func(text string) (err error) {
			trust, err := rights.ParseTrust(text)
			if err == nil {
				f.admin.Rights.Trust = trust
			}
			return err
		}),
	}}
}

// set returns the entries of the fleet in a list of players.
func (f *fleetLists) set(list string) *bans.Set {
	return map[string]*bans.List{fleet.BanList: f.admin.Bans, fleet.MuteList: f.admin.Mutes, fleet.AllowList: f.admin.Allowed}[list].Fleet
}

var errTarget = errors.New("it is for no key and no range of addresses")

// Check says what is wrong with an entry.
func (f *fleetLists) Check(list string, e *fleet.Entry) error {
	if list == fleet.RoleList {
		if key, err := seal.ParseKey(e.Target); err != nil || key.String() != e.Target {
			return errTarget
		}
		for _, role := range e.Roles {
			if err := rights.CheckRole(role); err != nil {
				return err
			}
		}
		return nil
	}
	if t, is, err := bans.ParseTarget(e.Target); err != nil || !is || t.String() != e.Target {
		return errTarget
	}
	return nil
}

// Replace replaces the entries of the fleet in a list.
func (f *fleetLists) Replace(list string, all []fleet.Entry) {
	if list == fleet.RoleList {
		f.admin.Rights.Fleet.Replace(nil)
	} else {
		f.set(list).Replace(nil)
	}
	for i := range all {
		f.Put(list, all[i])
	}
}

// Put adds an entry of the fleet.
func (f *fleetLists) Put(list string, e fleet.Entry) {
	if list == fleet.RoleList {
		key, _ := seal.ParseKey(e.Target) // Check has read it
		f.admin.Rights.Fleet.Put(rights.Holder{Key: key, Name: e.Name, From: e.From, Roles: e.Roles})
		return
	}
	t, _, _ := bans.ParseTarget(e.Target)
	f.set(list).Put(bans.Foreign{Ban: bans.Ban{Target: t, Until: e.Until, Name: e.Name, Reason: e.Reason}, From: e.From})
}

// Remove removes an entry of the fleet.
func (f *fleetLists) Remove(list, target string) {
	if list == fleet.RoleList {
		key, _ := seal.ParseKey(target)
		f.admin.Rights.Fleet.Put(rights.Holder{Key: key})
		return
	}
	t, _, _ := bans.ParseTarget(target)
	f.set(list).Remove(t)
}

// Changed disconnects the players who are banned now.
func (f *fleetLists) Changed() { f.admin.ListsChanged() }

// Shown notes that the operator has seen a list.
func (f *fleetLists) Shown(list string) { f.fleet.Shown(list) }

// Change asks the fleet for a change of the operator. A change that the fleet does not take holds
// on this server.
func (f *fleetLists) Change(c admin.Change, answer func(text string, err error)) {
	done := func(err error) { answer(f.outcome(c, err)) }
	target := c.Ban.Target.String()
	switch {
	case c.List == fleet.RoleList:
		f.changeRoles(c, done)
	case c.Remove:
		f.fleet.RemoveEntry(c.List, target, done)
	case c.List == fleet.AllowList && !f.admin.Rights.Trust.Any():
		done(untrusted("its list of allowed players"))
	default:
		f.fleet.PutEntry(c.List, fleet.Entry{Target: target, Until: c.Ban.Until, Name: c.Ban.Name, Reason: c.Ban.Reason}, done)
	}
}

// changeRoles gives a key a role in the fleet, or takes it back. The fleet has all roles of a key
// as one entry.
func (f *fleetLists) changeRoles(c admin.Change, done func(error)) {
	target := c.Key.String()
	roles := slices.DeleteFunc(f.fleet.Roles(target), func(r string) bool { return r == c.Role })
	switch {
	case !c.Remove && !f.admin.Rights.Trust.Has(c.Role):
		done(untrusted("the role " + c.Role))
		return
	case !c.Remove && len(roles) >= fleet.MaxRoles:
		done(fleet.HereOnly(fmt.Sprintf("a key has at most %d roles in the fleet", fleet.MaxRoles)))
		return
	case !c.Remove:
		roles = append(roles, c.Role)
	case len(roles) == 0:
		f.fleet.RemoveEntry(fleet.RoleList, target, done)
		return
	}
	slices.Sort(roles)
	f.fleet.PutEntry(fleet.RoleList, fleet.Entry{Target: target, Name: c.Name, Roles: roles}, done)
}

// untrusted is why this server asks its fleet for nothing that it would not take from it.
func untrusted(what string) error {
	return fleet.HereOnly("this server does not trust the fleet with " + what + " (fleet.trustRoles)")
}

// outcome returns the answer to a change. It does a change here that the fleet does not take.
func (f *fleetLists) outcome(c admin.Change, why error) (text string, err error) {
	target := c.Ban.Target.String()
	if c.List == fleet.RoleList {
		target = c.Key.String()
	}
	var hereOnly fleet.HereOnly
	switch {
	case why == nil && c.Remove:
		return fmt.Sprintf("%s: the fleet no longer has %s", c.List, target), nil
	case why == nil:
		return fmt.Sprintf("%s: the fleet has %s", c.List, target), nil
	case !errors.As(why, &hereOnly):
		return "", why
	case c.Remove:
		return "", fmt.Errorf("the fleet keeps %s in %s: %w", target, c.List, why)
	}
	return "this holds on this server only: " + why.Error(), f.admin.HoldHere(c)
}
