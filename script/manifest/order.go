package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Base is the name of the mod that is always loaded first.
const Base = "base"

// Order lists the wanted mods and their dependencies in load order. base comes first, then each
// wanted mod in the given order, after its dependencies in the order of its manifest. An optional
// dependency does not add a mod. If that mod is in the list anyway, it comes first and must have an
// accepted version. The same input gives the same order. It is an error if a mod is missing, has
// the wrong version, depends on itself or conflicts with another mod.
func Order(installed map[string]*Manifest, wanted ...string) ([]*Manifest, error) {
	o := &loadOrder{installed: installed, selected: map[string]bool{}, state: map[string]visitState{}}
	if _, ok := installed[Base]; ok {
		wanted = append([]string{Base}, wanted...)
	}
	for _, name := range wanted {
		if err := o.selectMod(name, ""); err != nil {
			return nil, err
		}
	}
	for _, name := range wanted {
		if err := o.visit(name, nil); err != nil {
			return nil, err
		}
	}
	return o.list, o.conflicts()
}

type visitState uint8

const (
	visitNone visitState = iota
	visitOpen
	visitDone
)

type loadOrder struct {
	installed map[string]*Manifest
	selected  map[string]bool // the mods to load
	state     map[string]visitState
	list      []*Manifest
}

// selectMod adds a mod and all its dependencies to the mods to load. by is the mod that needs it,
// or "" for the caller.
func (o *loadOrder) selectMod(name, by string) error {
	m, ok := o.installed[name]
	if !ok {
		return o.missing(name, by)
	}
	if o.selected[name] {
		return nil
	}
	o.selected[name] = true
	for _, need := range m.Depends {
		if err := o.selectMod(need.Name, name); err != nil {
			return err
		}
	}
	return nil
}

// visit appends a mod after its dependencies. path lists the mods being visited.
func (o *loadOrder) visit(name string, path []string) error {
	switch o.state[name] {
	case visitDone:
		return nil
	case visitOpen:
		for i, p := range path {
			if p == name {
				path = path[i:]
				break
			}
		}
		return fmt.Errorf("circular dependency of mods: %s", strings.Join(append(path, name), " -> "))
	}
	o.state[name] = visitOpen
	m := o.installed[name]
	path = append(path[:len(path):len(path)], name)
	for _, need := range o.prerequisites(m) {
		if have := o.installed[need.Name].Version; !need.Allows(have) {
			return fmt.Errorf("mod %s %s %s, but version %s is installed%s", name, need.relation(), need.Text, have, need.prereleaseHint(have))
		}
		if err := o.visit(need.Name, path); err != nil {
			return err
		}
	}
	o.state[name] = visitDone
	o.list = append(o.list, m)
	return nil
}

// prerequisites returns the mods that must be loaded before m: its dependencies, and its optional
// dependencies that are loaded too.
func (o *loadOrder) prerequisites(m *Manifest) []Requirement {
	list := m.Depends
	for _, need := range m.Optional {
		if o.selected[need.Name] {
			list = append(list[:len(list):len(list)], need)
		}
	}
	return list
}

func (o *loadOrder) missing(name, by string) error {
	all := Names(o.installed)
	have := strings.Join(all, ", ")
	if have == "" {
		have = "none"
	}
	return &missingError{name, by, have + meant(name, all)}
}

// A missingError is the error for a mod that is not installed. by is the mod that needs it, or "".
type missingError struct{ name, by, have string }

func (e *missingError) Error() string {
	if e.by == "" {
		return fmt.Sprintf("unknown mod %s; installed are: %s", e.name, e.have)
	}
	return fmt.Sprintf("mod %s needs %s, which is not installed; installed are: %s", e.by, e.name, e.have)
}

// Broken returns the errors of Discover that belong to one mod, by the name of its folder.
func Broken(bad []error) map[string]error {
	found := map[string]error{}
	for _, b := range bad {
		var broken *Error
		if errors.As(b, &broken) {
			found[broken.Mod] = b
		}
	}
	return found
}

// Explain returns the error of Order. If Order misses a mod that Discover could not read or did not
// find because its folder lies too deep, Explain returns why. bad are the errors of Discover.
func Explain(err error, bad []error, folders ...fs.FS) error {
	var missing *missingError
	if !errors.As(err, &missing) {
		return err
	}
	why := Broken(bad)[missing.name]
	if why == nil {
		why = tooDeep(missing.name, folders)
	}
	switch {
	case why == nil:
		return err
	case missing.by == "":
		return why
	default:
		return fmt.Errorf("mod %s needs %s, which cannot be loaded: %w", missing.by, missing.name, why)
	}
}

func (o *loadOrder) conflicts() error {
	at := map[string]*Manifest{}
	for _, m := range o.list {
		at[m.Name] = m
	}
	for _, m := range o.list {
		for _, c := range m.Conflicts {
			if other := at[c.Name]; other != nil && c.Allows(other.Version) {
				return fmt.Errorf("mod %s conflicts with %s %s; load only one of them", m.Name, c.Name, other.Version)
			}
		}
	}
	return nil
}
