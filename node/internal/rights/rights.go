// Package rights keeps the roles of players and the permissions of mods on a server, and their
// file.
//
//	role KEY ROLE NAME      the player with this key has the role; the name is only for people
//	allow ROLE COMMAND      players with the role can run that console command from the chat
//	exposed KEY http        the key of a player with a role was used on a page over plain HTTP, where it can be stolen
//	grant MOD PERMISSION    the mod has a permission that its mod.toml requests; a PERMISSION that
//	                        begins with ! is one that the mod has by default and no longer has
//
// The file has one right per line, with fields separated by tabs. People can edit it
// (data.EditedFile). A player is known by a public key.
package rights

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/logs"
)

// Admin is the role that can run every command and satisfies every role check.
const Admin = "admin"

// The kinds of lines.
const (
	role    = "role"
	allow   = "allow"
	grant   = "grant"
	exposed = "exposed"
)

// CheckRole checks the name of a role.
func CheckRole(name string) error {
	if !names.Short(name) {
		return ErrName
	}
	return nil
}

// A right is one line of the file.
type right struct{ kind, to, what, note string }

// List is the rights of one server, oldest first. The zero List is empty and has no file.
type List struct{ data.EditedFile[right] }

// ErrName rejects the name of a role.
var ErrName = errors.New("a role name must be 1 to 32 of a–z, 0–9 and _")

// Open reads the list. A missing file is an empty list.
func Open(path string, editor data.Editor) (*List, error) {
	f, err := data.OpenEdited(path, data.Form[right]{Parse: parse, Format: format}, editor)
	if err != nil {
		return nil, fmt.Errorf("the rights cannot be read: %w", err)
	}
	return &List{*f}, nil
}

// Give gives a player a role.
func (l *List) Give(key seal.Key, roleOf, name string) error {
	if !names.Short(roleOf) {
		return ErrName
	}
	return l.add(right{role, key.String(), roleOf, word(name)})
}

// Take removes a role of a player. It reports whether the player had it. A key without a role is no
// longer exposed.
func (l *List) Take(key seal.Key, roleOf string) (bool, error) {
	had, err := l.remove(role, key.String(), roleOf)
	if len(l.Roles(key)) == 0 {
		_, unsaved := l.remove(exposed, key.String(), overHTTP)
		err = errors.Join(err, unsaved)
	}
	return had, err
}

// overHTTP is how a key is exposed.
const overHTTP = "http"

// Expose notes that the key of a player with a role was used on a page over plain HTTP.
func (l *List) Expose(key seal.Key) error { return l.add(right{exposed, key.String(), overHTTP, ""}) }

// Exposed reports whether a key is exposed. It stays so while the player has a role.
func (l *List) Exposed(key seal.Key) bool { return l.has(exposed, key.String(), overHTTP) }

// Allow lets players with a role run a console command from the chat.
func (l *List) Allow(roleOf, command string) error {
	if !names.Short(roleOf) {
		return ErrName
	}
	return l.add(right{allow, roleOf, word(command), ""})
}

// Deny undoes Allow. It reports whether the role had the command.
func (l *List) Deny(roleOf, command string) (bool, error) { return l.remove(allow, roleOf, command) }

// Grant gives a permission to a mod, or removes it.
func (l *List) Grant(mod, permission string, on bool) error {
	if on {
		return l.add(right{grant, word(mod), word(permission), ""})
	}
	_, err := l.remove(grant, mod, permission)
	return err
}

// Granted reports whether a mod has a permission.
func (l *List) Granted(mod, permission string) bool { return l.has(grant, mod, permission) }

// Grants returns the permissions of all mods, one per line: MOD PERMISSION.
func (l *List) Grants() string { return l.lines(grant) }

// Roles returns the roles of a player, sorted.
func (l *List) Roles(key seal.Key) []string {
	var list []string
	for r := range l.All() {
		if r.kind == role && r.to == key.String() {
			list = append(list, r.what)
		}
	}
	slices.Sort(list)
	return list
}

// May reports whether one of these roles can run a console command from the chat.
func (l *List) May(roles []string, command string) bool {
	return slices.ContainsFunc(roles, func(r string) bool { return r == Admin || l.has(allow, r, command) })
}

// String returns the roles of players, one per line (KEY ROLE NAME), then the exposed keys, then
// the commands of roles, one role per line (ROLE may COMMAND…).
func (l *List) String() string {
	text := l.lines(role)
	may := map[string][]string{}
	for r := range l.All() {
		if r.kind == exposed {
			text += "\n" + r.to + " was used over plain HTTP"
		}
		if r.kind == allow {
			may[r.to] = append(may[r.to], r.what)
		}
	}
	roles := make([]string, 0, len(may))
	for name := range may {
		roles = append(roles, name)
	}
	slices.Sort(roles)
	for _, name := range roles {
		slices.Sort(may[name])
		text += "\n" + name + " may " + strings.Join(may[name], ", ")
	}
	return strings.TrimPrefix(text, "\n")
}

func (l *List) lines(kind string) string {
	var lines []string
	for r := range l.All() {
		if r.kind == kind {
			lines = append(lines, strings.TrimRight(r.to+" "+r.what+" "+r.note, " "))
		}
	}
	return strings.Join(lines, "\n")
}

func (l *List) has(kind, to, what string) bool {
	wanted := is(kind, to, what)
	for r := range l.All() {
		if wanted(r) {
			return true
		}
	}
	return false
}

// is selects the lines of one right. A hand-written file can have several.
func is(kind, to, what string) func(right) bool {
	return func(r right) bool { return r.kind == kind && r.to == to && r.what == what }
}

func (l *List) add(r right) error { return l.Put(r, is(r.kind, r.to, r.what)) }

func (l *List) remove(kind, to, what string) (bool, error) { return l.Remove(is(kind, to, what)) }

// format returns the line of a right.
func format(r right) string {
	return strings.TrimRight(strings.Join([]string{r.kind, r.to, r.what, r.note}, "\t"), "\t")
}

func parse(line string) (right, error) {
	words := append(strings.SplitN(line, "\t", 4), "")
	if len(words) < 4 {
		return right{}, errors.New("a right is role KEY ROLE [NAME], allow ROLE COMMAND, exposed KEY http or grant MOD PERMISSION, separated by tabs")
	}
	r := right{words[0], words[1], words[2], words[3]}
	switch r.kind {
	case role, exposed:
		key, err := seal.ParseKey(r.to)
		if err != nil {
			return r, err
		}
		r.to = key.String()
		if !names.Short(r.what) {
			return r, ErrName
		}
	case allow:
		if !names.Short(r.to) {
			return r, ErrName
		}
	case grant:
	default:
		return r, fmt.Errorf("%q is not a kind of right: must be role, allow, exposed or grant", r.kind)
	}
	return r, nil
}

// word turns a text into one field of a line.
func word(s string) string { return strings.Join(strings.Fields(logs.Plain(s)), " ") }
