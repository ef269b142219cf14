package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/script/vm"
)

// Help explains a name for the console: a class, a table of functions, or every symbol of that
// name, one line each. A member can be found as OWNER.NAME or OWNER:NAME, also if OWNER inherits
// it, and by its bare name. Help returns "" for an unknown name.
func (r *Model) Help(name string) string {
	if c := r.Class(name); c != nil {
		return r.classHelp(c)
	}
	return strings.Join(append(r.symbolHelp(name), r.ownerHelp(name)...), "\n")
}

// symbolHelp explains the symbols of a name.
func (r *Model) symbolHelp(name string) (lines []string) {
	owner, member := "", name
	if i := strings.IndexAny(name, ".:"); i >= 0 {
		owner, member = name[:i], name[i+1:]
	}
	owners := r.owners(owner)
	r.Entries(func(e *Symbol) bool {
		if e.Name != "" && e.Name == member && (owner == "" || slices.Contains(owners, e.Of)) {
			lines = append(lines, fmt.Sprintf("%s (%s): %s", e.Call, realmName(e.Realm), e.Doc))
		}
		return true
	})
	return lines
}

// ownerHelp lists the members of a table or a type: string, vec.
func (r *Model) ownerHelp(owner string) (lines []string) {
	if text := r.membersOf(owner); text != "" {
		lines = []string{owner + text, "help " + owner + ".NAME explains one of them"}
	}
	return lines
}

// classHelp explains a class: its kind, its members, and those that it inherits.
func (r *Model) classHelp(c *Class) string {
	kind := "a class"
	switch {
	case c.Datablock:
		kind = "a class of datablocks"
	case c.Abstract:
		kind = "a base of other classes"
	}
	if c.Parent != "" {
		kind += ", inherits " + c.Parent
	}
	if c.DataBlock != "" {
		kind += ", datablock " + c.DataBlock
	}
	lines := []string{strings.TrimSpace(fmt.Sprintf("%s (%s). %s", c.Name, kind, c.Doc))}
	for _, owner := range r.owners(c.Name) {
		if text := r.membersOf(owner); text != "" {
			lines = append(lines, "  "+owner+text)
		}
	}
	return strings.Join(append(lines, "help "+c.Name+".NAME explains one of them"), "\n")
}

// membersOf lists the members of one owner, without those that it inherits: " .field :method
// onEvent".
func (r *Model) membersOf(owner string) string {
	var words []string
	r.Entries(func(e *Symbol) bool {
		if e.Of == owner && e.Name != "" {
			words = append(words, " "+e.separator()+e.Name)
		}
		return true
	})
	slices.Sort(words)
	return strings.Join(slices.Compact(words), "")
}

// separator returns the sign between an owner and its member, "" for a callback.
func (e *Symbol) separator() string {
	switch e.Kind {
	case KindMethod:
		return ":"
	case KindCallback:
		return ""
	}
	return "."
}

// owners returns a class and those that it inherits, or the owner itself.
func (r *Model) owners(name string) []string {
	if kind, named := rowOwners[name]; named {
		name = kind
	}
	list := []string{name}
	for c := r.Class(name); c != nil && c.Parent != ""; c = r.Class(c.Parent) {
		list = append(list, c.Parent)
	}
	if r.Class(name) != nil {
		list = append(list, "Handle") // callbacks that every class and datablock can define
	}
	return list
}

// Names lists all names that Help explains: owners, globals, bare members, and members with each
// class that has them.
func (r *Model) Names() []string {
	var names []string
	members := map[string][]string{} // by owner, with the separator
	r.Entries(func(e *Symbol) bool {
		if e.Name == "" {
			return true
		}
		names = append(names, e.Name)
		if e.Of != "" {
			names = append(names, e.Of)
			sign := e.separator()
			if sign == "" {
				sign = "."
			}
			members[e.Of] = append(members[e.Of], sign+e.Name)
		}
		return true
	})
	for owner, own := range members {
		for _, member := range own {
			names = append(names, owner+member)
		}
	}
	for _, c := range r.Classes {
		for _, owner := range r.owners(c.Name) {
			for _, member := range members[owner] {
				names = append(names, c.Name+member)
			}
		}
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// realmName returns the sides of a symbol in words.
func realmName(letters string) string {
	for _, r := range []vm.Realm{vm.Server, vm.Client} {
		if r.Letters() == letters {
			return r.String()
		}
	}
	return vm.Both.String()
}
