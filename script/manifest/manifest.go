package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/boundtoml"
	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/internal/semver"
)

// Manifest is the parsed and checked mod.toml of a mod, with the mod's folder.
type Manifest struct {
	Name        string
	Version     semver.Version
	Description string
	Depends     []Requirement
	Optional    []Requirement // loaded before this mod if they are loaded at all
	Conflicts   []Requirement
	Permissions []string // of ModPermissions, or such as "console.kick" and "net:api.example.org:443"
	FS          fs.FS    // the mod's folder
	Dir         string   // path of that folder for messages: on the disk, or "mods/NAME"
	Replaces    string   // path of the folder of the mod of the same name that it replaces; "" if there is none
}

// Permissions for what a mod does to other mods and to the engine. A mod that requests them has
// them, unless the operator revokes them.
const (
	MayOverride = "mod.override" // override what a mod defines on which it does not depend
	MayDelete   = "mod.delete"   // delete objects of other mods
	MaySettings = "mod.settings" // declare settings and commands whose names belong to the engine
)

// MayTransfer is the permission to send players to the peers of the server. The operator grants it.
const MayTransfer = "transfer"

// ModPermissions lists these permissions.
var ModPermissions = []string{MayDelete, MayOverride, MaySettings}

// Requirement is another mod with the accepted versions. Range is nil if any version is accepted.
type Requirement struct {
	Name     string
	Range    semver.Range
	Text     string // as written
	Optional bool   // it may be missing
}

// Allows reports whether v is an accepted version. A pre-release (1.2.0-beta) is accepted only if
// the range names one, as in ">=1.2.0-0".
func (n Requirement) Allows(v semver.Version) bool { return n.Range == nil || n.Range.Includes(v) }

// JoinTexts lists requirements as they are written.
func JoinTexts(list []Requirement) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, n.Text)
	}
	return strings.Join(texts, ", ")
}

// relation names the relation of a mod to this need.
func (n Requirement) relation() string {
	if n.Optional {
		return "works with"
	}
	return "needs"
}

// prereleaseHint explains a pre-release that looks as if it were in the range but is not accepted.
func (n Requirement) prereleaseHint(v semver.Version) string {
	if v.Pre == "" {
		return ""
	}
	released := semver.Version{Major: v.Major, Minor: v.Minor, Patch: v.Patch}
	if !n.Allows(released) {
		return ""
	}
	return fmt.Sprintf("; a pre-release counts only if the range names one, as in >=%s-0", released)
}

// Compatible reports whether version has the same major number as the mod's own version.
func (m *Manifest) Compatible(version string) bool {
	v, err := semver.Parse(version)
	return err == nil && v.Major == m.Version.Major
}

// DependsOn reports whether the manifest names a mod in depends or optional.
func (m *Manifest) DependsOn(name string) bool {
	named := func(n Requirement) bool { return n.Name == name }
	return slices.ContainsFunc(m.Depends, named) || slices.ContainsFunc(m.Optional, named)
}

// Needs reports whether the mod depends on another one, also through other mods. find returns the
// manifest of a loaded mod, or nil.
func (m *Manifest) Needs(name string, find func(name string) *Manifest) bool {
	return m.needs(name, find, map[*Manifest]bool{nil: true})
}

func (m *Manifest) needs(name string, find func(string) *Manifest, seen map[*Manifest]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	return m.DependsOn(name) || slices.ContainsFunc(slices.Concat(m.Depends, m.Optional), func(n Requirement) bool {
		return find(n.Name).needs(name, find, seen)
	})
}

// ValidPermission reports whether a text is one permission. There are no wildcards.
func ValidPermission(text string) bool {
	return slices.Contains(ModPermissions, text) || consolePermission(text) || validReach(text) || text == MayTransfer
}

// consolePermission reports whether a text is the permission for a variable or command of the
// console, such as console.sv.name.
func consolePermission(text string) bool {
	rest, is := strings.CutPrefix(text, Console+".")
	if !is {
		return false
	}
	for part := range strings.SplitSeq(rest, ".") {
		if !names.Identifier(part) {
			return false
		}
	}
	return true
}

// ValidName reports whether name can be the name of a mod: 1 to 32 of a–z, 0–9 and _.
func ValidName(name string) bool { return names.Short(name) }

// File is the name of a manifest in a mod's folder.
const File = "mod.toml"

// Console is the name of the mod that runs typed lines, --eval and --exec. No other mod can have
// it.
const Console = "console"

// Read reads mod.toml in a mod's folder. folder is the folder's name. Every error is an *Error.
func Read(folder string, dir fs.FS) (*Manifest, error) {
	bad := &Error{Mod: folder, Dir: path.Join("mods", folder)}
	if err := checkFolders(dir); err != nil {
		return nil, bad.because(err)
	}
	bad.File = File
	dir = ownFiles{dir}
	text, err := readBounded(dir)
	if err != nil {
		return nil, bad.because(err)
	}
	m, err := parseManifest(string(text))
	if err != nil {
		return nil, bad.because(err)
	}
	if m.Name != folder {
		err := fmt.Errorf("the mod is named %q but its folder %q; they must be the same", m.Name, folder)
		return nil, bad.because(entryError{"name", m.Name, err}.in(string(text)))
	}
	m.FS, m.Dir = dir, bad.Dir
	return m, nil
}

// readBounded reads mod.toml, if it is a file of acceptable size.
func readBounded(dir fs.FS) ([]byte, error) {
	info, err := fs.Stat(dir, File)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &LinkError{File}
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > boundtoml.MaxSize:
		return nil, boundtoml.SizeError()
	}
	return fs.ReadFile(dir, File)
}

// parseManifest parses and checks the text of a mod.toml. An error that belongs to a line is a
// toml.ParseError or a *boundtoml.LineError.
func parseManifest(text string) (*Manifest, error) {
	text = strings.TrimPrefix(text, "\ufeff") // Windows editors write a byte order mark
	var raw rawManifest
	meta, err := boundtoml.Decode(text, &raw)
	if err != nil {
		return nil, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		key := unknown[0].String()
		return nil, entryError{key, "", fmt.Errorf("unknown key %q; known are %s%s", key, strings.Join(manifestKeys, ", "), meant(key, manifestKeys))}.in(text)
	}
	m, err := raw.check()
	var bad entryError
	if errors.As(err, &bad) {
		return nil, bad.in(text)
	}
	return m, err
}

// rawManifest is a mod.toml before it is checked.
type rawManifest struct {
	Name, Version, Description   string
	Depends, Optional, Conflicts []string
	Permissions                  []string
}

// manifestKeys are the keys of a mod.toml.
var manifestKeys = []string{"name", "version", "description", "depends", "optional", "conflicts", "permissions"}

// check returns the manifest. Every error is an entryError.
func (raw *rawManifest) check() (*Manifest, error) {
	m := &Manifest{Name: raw.Name, Description: raw.Description, Permissions: raw.Permissions}
	if !ValidName(m.Name) {
		return nil, entryError{"name", m.Name, fmt.Errorf("name %q must be 1 to 32 of a–z, 0–9 and _", m.Name)}
	}
	if m.Name == Console {
		return nil, entryError{"name", m.Name, fmt.Errorf("name %q is reserved for the console: choose another name", m.Name)}
	}
	var err error
	if m.Version, err = semver.Parse(raw.Version); err != nil {
		return nil, entryError{"version", raw.Version, fmt.Errorf("version %q must be three numbers like 1.0.0 (see semver.org)", raw.Version)}
	}
	if m.Depends, err = parseRequirements(m.Name, "depends", raw.Depends); err != nil {
		return nil, err
	}
	if m.Optional, err = parseRequirements(m.Name, "optional", raw.Optional); err != nil {
		return nil, err
	}
	for i := range m.Optional {
		m.Optional[i].Optional = true
	}
	if m.Conflicts, err = parseRequirements(m.Name, "conflicts", raw.Conflicts); err != nil {
		return nil, err
	}
	for _, p := range m.Permissions {
		if !ValidPermission(p) {
			return nil, entryError{"permissions", p, fmt.Errorf("permissions: unknown %q; known are %s, console.NAME, net:HOST:PORT, listen:PORT, transfer and transfer:HOST:PORT%s", p, strings.Join(ModPermissions, ", "), meantPermission(p))}
		}
	}
	return m, m.checkLists()
}

// meantPermission suggests the permission with the nearest name.
func meantPermission(p string) string {
	if near := meant(p, ModPermissions); near != "" || strings.HasPrefix(p, "mod.") || !ValidPermission(Console+"."+p) {
		return near
	}
	return "; did you mean " + Console + "." + p + "?"
}

// checkLists returns an error if a mod is named twice, or in lists that exclude each other.
func (m *Manifest) checkLists() error {
	seen := map[string]string{}
	for _, list := range []struct {
		key   string
		needs []Requirement
	}{{"depends", m.Depends}, {"optional", m.Optional}} {
		for _, n := range list.needs {
			if before := seen[n.Name]; before != "" {
				return entryError{list.key, n.Text, fmt.Errorf("%s: %s is named in %s already; one line can hold several ranges, as in \"%[2]s >=1.0, <2\"", list.key, n.Name, before)}
			}
			seen[n.Name] = list.key
		}
	}
	for _, c := range m.Conflicts {
		if seen[c.Name] == "depends" && c.Range == nil {
			return entryError{"conflicts", c.Text, fmt.Errorf("conflicts: the mod depends on %s, so it can conflict only with some versions of it, as in \"%[1]s <1.0\"", c.Name)}
		}
	}
	return nil
}

// parseRequirements parses lines like "base >=1.0".
func parseRequirements(self, key string, lines []string) ([]Requirement, error) {
	var list []Requirement
	for _, line := range lines {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		n := Requirement{Name: name, Text: line}
		if !ValidName(name) {
			return nil, entryError{key, line, fmt.Errorf("%s: %q must begin with the name of a mod, as in \"base >=1.0\"", key, line)}
		}
		if name == self {
			return nil, entryError{key, line, fmt.Errorf("%s: %q names the mod itself", key, line)}
		}
		if rest = strings.TrimSpace(rest); rest != "" {
			c, err := semver.ParseRange(rest)
			if err != nil {
				return nil, entryError{key, line, fmt.Errorf("%s: %q is not a range of versions, as in \">=1.0, <2\"", key, rest)}
			}
			n.Range = c
		}
		list = append(list, n)
	}
	return list, nil
}
