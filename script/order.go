package script

import (
	"fmt"
	"strings"
)

// Base is the mod that is always loaded, and first.
const Base = "base"

// Order lists the wanted mods and all they depend on, in load order: base, then each wanted mod in the order given,
// after its dependencies in the order of its manifest. The same input gives the same order. The error is one
// sentence: a mod is missing, has the wrong version, depends on itself, or conflicts with another.
func Order(installed map[string]*Manifest, wanted ...string) ([]*Manifest, error) {
	o := &ordering{installed: installed, state: map[string]visit{}}
	if _, ok := installed[Base]; ok {
		if err := o.visit(Base, nil, nil); err != nil {
			return nil, err
		}
	}
	for _, name := range wanted {
		if err := o.visit(name, nil, nil); err != nil {
			return nil, err
		}
	}
	return o.list, o.conflicts()
}

type visit uint8

const (
	unseen visit = iota
	begun
	done
)

type ordering struct {
	installed map[string]*Manifest
	state     map[string]visit
	list      []*Manifest
}

// visit adds a mod after its dependencies. by is who needs it, path the mods being visited.
func (o *ordering) visit(name string, by *Need, path []string) error {
	m, ok := o.installed[name]
	if !ok {
		return o.missing(name, path)
	}
	if by != nil && !by.Allows(m.Version) {
		return fmt.Errorf("mod %s needs %s, but version %s is installed", path[len(path)-1], by.Text, m.Version)
	}
	switch o.state[name] {
	case done:
		return nil
	case begun:
		for i, p := range path {
			if p == name {
				path = path[i:]
				break
			}
		}
		return fmt.Errorf("mods depend on each other in a circle: %s", strings.Join(append(path, name), " -> "))
	}
	o.state[name] = begun
	path = append(path[:len(path):len(path)], name)
	for i := range m.Depends {
		if err := o.visit(m.Depends[i].Name, &m.Depends[i], path); err != nil {
			return err
		}
	}
	o.state[name] = done
	o.list = append(o.list, m)
	return nil
}

func (o *ordering) missing(name string, path []string) error {
	have := strings.Join(names(o.installed), ", ")
	if have == "" {
		have = "none"
	}
	if len(path) == 0 {
		return fmt.Errorf("there is no mod %s; installed are: %s", name, have)
	}
	return fmt.Errorf("mod %s needs %s, which is not installed; installed are: %s", path[len(path)-1], name, have)
}

func (o *ordering) conflicts() error {
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
