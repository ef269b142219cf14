package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/Masterminds/semver/v3"

	"github.com/torc-engine/torc/internal/boundtoml"
)

// Manifest is the parsed and checked mod.toml of a mod, with the mod's folder.
type Manifest struct {
	Name        string
	Version     *semver.Version
	Description string
	Depends     []Requirement
	Optional    []Requirement // loaded before this mod if they are loaded at all
	Conflicts   []Requirement
	Permissions []string // of ModPermissions, or such as "console.kick"
	FS          fs.FS    // the mod's folder
}

// Permissions for what a mod does to other mods and to the engine. A mod that requests them has them,
// unless the operator revokes them.
const (
	MayOverride = "mod.override" // override what a mod defines on which it does not depend
	MayDelete   = "mod.delete"   // delete objects of other mods
	MaySettings = "mod.settings" // declare settings and commands whose names belong to the engine
)

// ModPermissions lists these permissions.
var ModPermissions = []string{MayDelete, MayOverride, MaySettings}

// Requirement is another mod with the accepted versions. Range is nil if any version is accepted.
type Requirement struct {
	Name     string
	Range    *semver.Constraints
	Text     string // as written
	Optional bool   // it may be missing
}

// Allows reports whether v is an accepted version. A pre-release (1.2.0-beta) is accepted only if
// the range names one, as in ">=1.2.0-0".
func (n Requirement) Allows(v *semver.Version) bool { return n.Range == nil || n.Range.Check(v) }

// relation names the relation of a mod to this need.
func (n Requirement) relation() string {
	if n.Optional {
		return "works with"
	}
	return "needs"
}

// prereleaseHint explains a pre-release that looks as if it were in the range but is not accepted.
func (n Requirement) prereleaseHint(v *semver.Version) string {
	if v.Prerelease() == "" {
		return ""
	}
	released := semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
	if !n.Allows(released) {
		return ""
	}
	return fmt.Sprintf("; a pre-release counts only if the range names one, as in >=%s-0", released)
}

// Compatible reports whether version has the same major number as the mod's own version.
func (m *Manifest) Compatible(version string) bool {
	v, err := semver.NewVersion(version)
	return err == nil && v.Major() == m.Version.Major()
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
	return slices.Contains(ModPermissions, text) || consolePermission.MatchString(text)
}

var consolePermission = regexp.MustCompile(`^console(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// ValidName reports whether name can be the name of a mod: 1 to 32 of a–z, 0–9 and _.
func ValidName(name string) bool { return modNamePattern.MatchString(name) }

// modNamePattern matches valid mod names.
var modNamePattern = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// File is the name of a manifest in a mod's folder.
const File = "mod.toml"

// Console is the name of the mod that runs typed lines, --eval and --exec. No other mod can have it.
const Console = "console"

// maxError is the length of an error about a manifest, in bytes.
const maxError = 400

// Read reads mod.toml in a mod's folder. The error names mods/FOLDER/mod.toml.
func Read(folder string, dir fs.FS) (*Manifest, error) {
	where := path.Join("mods", folder, File)
	if err := checkFolders(dir); err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join("mods", folder), err)
	}
	dir = ownFiles{dir}
	text, err := readBounded(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	m, err := parseManifest(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %s", where, clip(err.Error()))
	}
	if m.Name != folder {
		return nil, fmt.Errorf("%s: the mod is named %q but its folder %q; they must be the same", where, m.Name, folder)
	}
	m.FS = dir
	return m, nil
}

// clip shortens an error text, which can quote the manifest.
func clip(text string) string {
	if len(text) <= maxError {
		return text
	}
	return strings.ToValidUTF8(text[:maxError], "") + "…"
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

func parseManifest(text string) (*Manifest, error) {
	var raw struct {
		Name, Version, Description   string
		Depends, Optional, Conflicts []string
		Permissions                  []string
	}
	meta, err := boundtoml.Decode(text, &raw)
	if err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return nil, fmt.Errorf("line %d: %s", bad.Position.Line, bad.Message)
		}
		return nil, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("unknown key %q; known are name, version, description, depends, optional, conflicts and permissions", unknown[0].String())
	}
	m := &Manifest{Name: raw.Name, Description: raw.Description, Permissions: raw.Permissions}
	if !modNamePattern.MatchString(m.Name) {
		return nil, fmt.Errorf("name %q must be 1 to 32 of a–z, 0–9 and _", m.Name)
	}
	if m.Name == Console {
		return nil, fmt.Errorf("name %q is reserved for the console: choose another name", m.Name)
	}
	if m.Version, err = semver.StrictNewVersion(raw.Version); err != nil {
		return nil, fmt.Errorf("version %q must be three numbers like 1.0.0 (see semver.org)", raw.Version)
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
		if strings.HasPrefix(p, "mod.") && !slices.Contains(ModPermissions, p) {
			return nil, fmt.Errorf("permissions: unknown %q; known are %s and console.NAME", p, strings.Join(ModPermissions, ", "))
		}
	}
	return m, m.checkLists()
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
				return fmt.Errorf("%s: %s is named in %s already; one line can hold several ranges, as in \"%[2]s >=1.0, <2\"", list.key, n.Name, before)
			}
			seen[n.Name] = list.key
		}
	}
	for _, c := range m.Conflicts {
		if seen[c.Name] == "depends" && c.Range == nil {
			return fmt.Errorf("conflicts: the mod depends on %s, so it can conflict only with some versions of it, as in \"%[1]s <1.0\"", c.Name)
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
		if !modNamePattern.MatchString(name) {
			return nil, fmt.Errorf("%s: %q must begin with the name of a mod, as in \"base >=1.0\"", key, line)
		}
		if name == self {
			return nil, fmt.Errorf("%s: %q names the mod itself", key, line)
		}
		if rest = strings.TrimSpace(rest); rest != "" {
			c, err := semver.NewConstraint(rest)
			if err != nil {
				return nil, fmt.Errorf("%s: %q is not a range of versions, as in \">=1.0, <2\"", key, rest)
			}
			n.Range = c
		}
		list = append(list, n)
	}
	return list, nil
}

// Discover finds the mods in folders of mods: every directory with a mod.toml. A mod in a later
// folder replaces one of the same name in an earlier folder. Discover omits mods that it cannot
// read and returns their errors in order.
func Discover(folders ...fs.FS) (map[string]*Manifest, []error) {
	found := map[string]*Manifest{}
	var bad []error
	for _, folder := range folders {
		entries, err := fs.ReadDir(folder, ".")
		if err != nil {
			bad = append(bad, err)
			continue
		}
		for _, e := range entries {
			if _, err := fs.Stat(folder, path.Join(e.Name(), File)); err != nil {
				continue
			}
			dir, err := fs.Sub(folder, e.Name())
			if err != nil {
				bad = append(bad, err)
				continue
			}
			m, err := Read(e.Name(), dir)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			found[m.Name] = m
		}
	}
	return found, bad
}

// Names returns the names of the mods, sorted.
func Names(mods map[string]*Manifest) []string {
	list := make([]string, 0, len(mods))
	for name := range mods {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}
