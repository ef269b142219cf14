package fleet

import (
	"errors"
	"strings"
	"time"

	"github.com/torc-engine/torc/script/store"
)

// The lists of a fleet.
const (
	BanList   = "bans"
	MuteList  = "mutes"
	AllowList = "allowed"
	RoleList  = "roles"
)

// listNames are the lists of a fleet, in the order in which they are read.
var listNames = []string{BanList, MuteList, AllowList, RoleList}

// An Entry is one of a list of the fleet: a ban, a mute, an allowed player, or the roles of a key.
type Entry struct {
	Target string    // a key or a range of addresses, as bans.Target writes it; in roles a key
	Until  time.Time // zero: for ever
	Name   string    // of the player at that time
	Reason string
	Roles  []string // of the key, in roles
	From   string   // name of the server that wrote it, as far as that is true
}

const (
	maxEntry  = 2 << 10 // bytes of an encoded entry
	maxReason = 512
)

// MaxRoles is how many roles a key can have in the fleet. Further ones of an entry do not count.
const MaxRoles = 32

var errLargeEntry = errors.New("it is larger than 2 KiB")

// encode returns an entry as a stored value: a table of texts. Long texts are cut.
func (e *Entry) encode() []byte {
	fields := map[string]string{"name": cut(e.Name), "reason": cutTo(e.Reason, maxReason), "roles": strings.Join(e.Roles, " ")}
	if !e.Until.IsZero() {
		fields["until"] = e.Until.UTC().Format(time.RFC3339)
	}
	for name, text := range fields { // any order: all empty ones go
		if text == "" {
			delete(fields, name)
		}
	}
	return store.EncodeFields(fields)
}

// decodeEntry reads an entry that some server has written. Fields that this torc does not know have
// no effect.
func decodeEntry(target, from string, b []byte) (e Entry, err error) {
	if len(b) > maxEntry {
		return e, errLargeEntry
	}
	fields, err := store.DecodeFields(b)
	if err != nil {
		return e, err
	}
	e = Entry{Target: target, Name: cut(fields["name"]), Reason: cutTo(fields["reason"], maxReason), Roles: strings.Fields(fields["roles"]), From: from}
	e.Roles = e.Roles[:min(len(e.Roles), MaxRoles)]
	if until := fields["until"]; until != "" {
		e.Until, err = time.Parse(time.RFC3339, until)
	}
	return e, err
}
