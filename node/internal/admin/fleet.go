package admin

import (
	"cmp"
	"errors"
	"slices"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/bans"
)

// The names of the lists that a fleet has.
const (
	BanList   = "bans"
	MuteList  = "mutes"
	AllowList = "allowed"
	RoleList  = "roles"
)

// A Change adds an entry to a list, in place of the earlier one of its target, or removes it. In
// the RoleList it gives a player one role, or takes it.
type Change struct {
	List   string
	Remove bool
	Ban    bans.Ban // of a list of players. Only the target of one that is removed counts
	Key    seal.Key // of a player in the RoleList
	Role   string
	Name   string // of that player, for people
}

// A Fleet has the lists of all servers. It puts their entries into the lists of this server
// (bans.Set, rights.Set), where they count. All calls come from the goroutine that owns the server.
type Fleet interface {
	// Change changes a list for all servers. answer gets the outcome for the person who typed the
	// line: once, at once or later, on the same goroutine.
	Change(c Change, answer func(text string, err error))
	// Shown says that the operator has seen a list. A change is compared with what was seen.
	Shown(list string)
}

// shown tells the fleet that the operator sees a list.
func (a *Admin) shown(list string) {
	if a.Fleet != nil {
		a.Fleet.Shown(list)
	}
}

// hereOption lets a change hold for this server only.
const hereOption = "--here"

// onlyHere takes the option out of the words of a command.
func onlyHere(args []string) (rest []string, only bool) {
	rest = slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == hereOption })
	return rest, len(rest) < len(args)
}

// add adds an entry to the list of the fleet, or with only to that of this server.
func (a *Admin) add(c Change, only bool) (string, error) {
	if only || a.Fleet == nil {
		return "", a.HoldHere(c)
	}
	text, err := a.ask(c)
	a.ListsChanged()
	return text, err
}

// remove removes an entry from the list of this server, and without only from that of the fleet,
// too. missing is the error if there is none.
func (a *Admin) remove(c Change, only bool, missing string) (string, error) {
	had, err := a.apply(c)
	theirs := a.inFleet(c)
	switch {
	case theirs && !only:
		text, failed := a.ask(c)
		return text, cmp.Or(err, failed)
	case err != nil:
		return "", err
	case theirs && had:
		return "the fleet still has it (" + hereOption + " changes this server only)", nil
	case theirs:
		return "", errors.New("only the fleet has it: leave out " + hereOption)
	case !had:
		return "", errors.New(missing)
	}
	return "", nil
}

// inFleet reports whether the fleet has what a change removes.
func (a *Admin) inFleet(c Change) (found bool) {
	switch {
	case a.Fleet == nil:
	case c.List == RoleList && a.Rights.Fleet != nil:
		h, _ := a.Rights.Fleet.Get(c.Key)
		found = slices.Contains(h.Roles, c.Role)
	case c.List != RoleList && a.list(c.List).Fleet != nil:
		_, found = a.list(c.List).Fleet.Get(c.Ban.Target)
	}
	return found
}

// list returns a list of players.
func (a *Admin) list(name string) *bans.List {
	switch name {
	case BanList:
		return a.Bans
	case MuteList:
		return a.Mutes
	case AllowList:
		return a.Allowed
	}
	panic("BUG: there is no list " + name)
}

// HoldHere makes a change on this server only, and saves it. The change of a ban disconnects the
// players who are banned then.
func (a *Admin) HoldHere(c Change) error {
	_, err := a.apply(c)
	a.ListsChanged()
	return err
}

// apply makes a change in the files of this server. had says that it has removed something.
func (a *Admin) apply(c Change) (had bool, err error) {
	switch {
	case c.List == RoleList && c.Remove:
		return a.Rights.Take(c.Key, c.Role)
	case c.List == RoleList:
		return false, a.Rights.Give(c.Key, c.Role, c.Name)
	case c.Remove:
		return a.list(c.List).Lift(c.Ban.Target)
	}
	return false, a.list(c.List).Add(c.Ban)
}

// ListsChanged disconnects the players who are banned now. Call it when a list has changed other
// than by a command.
func (a *Admin) ListsChanged() { a.throwBanned() }

// ask asks the fleet for a change. An outcome that is not there at once answers the line later, or
// is printed.
func (a *Admin) ask(c Change) (text string, err error) {
	var later func(string, error)
	said := false
	a.Fleet.Change(c, func(out string, failed error) {
		if c.List == RoleList && c.Remove && failed == nil {
			failed = a.Rights.Forgive(c.Key)
		}
		if later != nil {
			later(out, failed)
			return
		}
		text, err = out, failed
		said = true
	})
	if said {
		return text, err
	}
	later = a.Answer()
	return "", nil
}
