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
//
// A fleet can have roles of players, too (Set). They count beside those of the file as far as the
// operator of this server trusts them (Trust), and are never written into it.
//
//	rights.go  the rights of a server
//	set.go     the roles that a fleet has
//	trust.go   which of them count
package rights

import (
	"errors"
	"fmt"
	"maps"
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
type List struct {
	data.EditedFile[right]
	Fleet *Set  // the roles in its fleet; nil: the server is in none
	Trust Trust // says which of them count

	known   map[right]bool      // the rights of the file, without notes
	roles   map[string][]string // those of the file, sorted, by key
	version uint64              // of the file that these are made from
}

// ErrName rejects the name of a role.
var ErrName = errors.New("a role name must be 1 to 32 of a–z, 0–9 and _")

// Open reads the list. A missing file is an empty list.
func Open(path string, editor data.Editor) (*List, error) {
	f, err := data.OpenEdited(path, data.Form[right]{Parse: parse, Format: format}, editor)
	if err != nil {
		return nil, fmt.Errorf("the rights cannot be read: %w", err)
	}
	return &List{EditedFile: *f}, nil
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
	return had, errors.Join(err, l.Forgive(key))
}

// Forgive ends the exposure of a key without a role, here and in the fleet. It does nothing for any
// other key.
func (l *List) Forgive(key seal.Key) error {
	if len(l.Own(key)) > 0 || len(l.theirs(key)) > 0 {
		return nil
	}
	_, err := l.remove(exposed, key.String(), overHTTP)
	return err
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
func (l *List) Grants() string { return strings.Join(l.lines(grant, ""), "\n") }

// Roles returns the roles of a player, sorted: those of the file (Own), and those in the fleet that
// count (Trust).
func (l *List) Roles(key seal.Key) []string {
	list := l.Own(key)
	for _, r := range l.theirs(key) {
		if l.Trust.Has(r) {
			list = append(list, r)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Own returns the roles of a player in the file, sorted.
func (l *List) Own(key seal.Key) []string {
	l.arrange()
	return slices.Clone(l.roles[key.String()])
}

// theirs returns the roles of a player in the fleet.
func (l *List) theirs(key seal.Key) []string {
	if l.Fleet == nil {
		return nil
	}
	return l.Fleet.holders[key].Roles
}

// arrange makes the index again if the rights have changed.
func (l *List) arrange() {
	if l.version == l.Version() {
		return
	}
	l.version = l.Version()
	l.known, l.roles = map[right]bool{}, map[string][]string{}
	for r := range l.All() {
		r.note = ""
		if l.known[r] {
			continue
		}
		if l.known[r] = true; r.kind == role {
			l.roles[r.to] = append(l.roles[r.to], r.what)
		}
	}
	for _, list := range l.roles { // any order: each list is sorted
		slices.Sort(list)
	}
}

// May reports whether one of these roles can run a console command from the chat.
func (l *List) May(roles []string, command string) bool {
	return slices.ContainsFunc(roles, func(r string) bool { return r == Admin || l.has(allow, r, command) })
}

// String returns the roles of players, one per line (KEY ROLE NAME), then the exposed keys, then
// the commands of roles, one role per line (ROLE may COMMAND…). On a server with a fleet, each line
// of a role begins with its origin: here or fleet.
func (l *List) String() string {
	origin := ""
	if l.Fleet != nil {
		origin = "here "
	}
	lines := l.lines(role, origin)
	if l.Fleet != nil {
		lines = append(lines, l.Fleet.lines(l.Trust)...)
	}
	for r := range l.All() {
		if r.kind == exposed {
			lines = append(lines, r.to+" was used over plain HTTP")
		}
	}
	return strings.Join(append(lines, l.allowed()...), "\n")
}

// allowed returns the commands of roles, one role per line.
func (l *List) allowed() (lines []string) {
	may := map[string][]string{}
	for r := range l.All() {
		if r.kind == allow {
			may[r.to] = append(may[r.to], r.what)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(may)) {
		slices.Sort(may[name])
		lines = append(lines, name+" may "+strings.Join(may[name], ", "))
	}
	return lines
}

// lines returns the rights of a kind, one per line.
func (l *List) lines(kind, origin string) (lines []string) {
	for r := range l.All() {
		if r.kind == kind {
			lines = append(lines, strings.TrimRight(origin+r.to+" "+r.what+" "+r.note, " "))
		}
	}
	return lines
}

func (l *List) has(kind, to, what string) bool {
	l.arrange()
	return l.known[right{kind, to, what, ""}]
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
