package store

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/script/bind"
)

const (
	maxStoreLines = 1000 // maximum number of keys in the output of the command store
	maxStoreText  = 80   // maximum length of a printed value in bytes
)

// Commands returns the console commands that print and remove stored values, or none without a
// store.
func (st *Storage) Commands() []console.Command {
	if st.store == nil {
		return nil
	}
	return []console.Command{{
		Name: "store", Params: "[MOD [PREFIX]]", Help: "lists the stored data of mods: MOD BYTES KEYS; of one mod: KEY BYTES VALUE",
		Run: st.print, Complete: st.complete,
	}, {
		Name: "store.purge", Params: "MOD", Help: "removes the stored data of a mod that is not loaded", Run: st.purge,
	}}
}

func (st *Storage) print(args []string) (string, error) {
	if len(args) > 2 {
		return "", errors.New("usage: store [MOD [PREFIX]]")
	}
	if len(args) == 0 {
		return st.list()
	}
	mod, prefix := args[0], ""
	b, err := st.stored(mod)
	if err != nil {
		return "", err
	}
	if len(args) == 2 {
		prefix = args[1]
	}
	var lines []string
	for key, more := b.after("", prefix, false); more; key, more = b.after(key, prefix, true) {
		if len(lines) == maxStoreLines {
			lines = append(lines, fmt.Sprintf("(only the first %d: store %s PREFIX shows fewer)", maxStoreLines, mod))
			break
		}
		lines = append(lines, fmt.Sprintf("%s %d %s", bind.Quote(key), len(b.values[key]), st.storedText(b.values[key])))
	}
	return strings.Join(lines, "\n"), b.err
}

// stored returns the stored values of a mod: those of a loaded one, or those that are saved.
func (st *Storage) stored(mod string) (*modStore, error) {
	if b := st.modStores[mod]; b != nil && (st.runtime.Mod(ownerOf(mod)) != nil || len(b.keys) > 0) {
		return b, nil
	}
	gone, err := st.gone()
	switch {
	case err != nil:
		return nil, err
	case !slices.ContainsFunc(gone, func(u Usage) bool { return u.Mod == mod }):
		return nil, fmt.Errorf("no loaded mod and no stored data has the name %s (store lists the mods with data)", console.Quote(mod))
	}
	return st.read(mod), nil
}

// gone returns the mods with stored values that are not loaded, sorted by name.
func (st *Storage) gone() ([]Usage, error) {
	all, err := st.store.Usage()
	if err != nil {
		return nil, fmt.Errorf("the stored data of mods that are not loaded cannot be read: %w", err)
	}
	all = slices.DeleteFunc(all, func(u Usage) bool { return st.modStores[u.Mod] != nil })
	for mod, b := range st.modStores { // any order: they are sorted below
		if st.runtime.Mod(ownerOf(mod)) == nil && len(b.keys) > 0 {
			all = append(all, Usage{mod, b.bytes, len(b.keys)})
		}
	}
	order.By(all, func(a, b Usage) int { return strings.Compare(a.Mod, b.Mod) })
	return all, nil
}

// purge removes the stored data of a mod that is not loaded. The mod gets a store without values:
// if it is loaded before the disk has done its work, it finds none.
func (st *Storage) purge(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: store.purge MOD")
	}
	mod := args[0]
	if owner := ownerOf(mod); st.runtime.Mod(owner) != nil {
		return "", fmt.Errorf("the mod %s is loaded: its data can be removed after `mod.disable %[1]s`", owner)
	}
	if b := st.modStores[mod]; b != nil && b.shared != nil {
		return "", fmt.Errorf("the servers of the fleet share the data of %s: no server alone can remove it", mod)
	} else if b != nil && b.pendingChanges > 0 {
		return "", fmt.Errorf("the last changes of %s are not on the disk yet: try again in a moment", mod)
	}
	b, err := st.stored(mod)
	if err != nil {
		return "", err
	}
	st.modStores[mod] = newModStore(mod)
	st.next = append(st.next, pendingChange{Write: Write{Mod: mod, Purge: true}})
	return fmt.Sprintf("removing the stored data of %s: %d keys, %d bytes", mod, len(b.keys), b.bytes), nil
}

// purged tells whether the data of a mod is removed. If it is not, the mod finds it again.
func (st *Storage) purged(mod string, err error) {
	if err == nil {
		st.runtime.Log(slog.LevelInfo, "the stored data of a mod is removed", "mod", mod)
		return
	}
	st.runtime.Log(slog.LevelError, "the stored data of a mod is not removed", "mod", mod, "why", err.Error())
	if b := st.modStores[mod]; b != nil && st.runtime.Mod(ownerOf(mod)) == nil && b.pendingChanges == 0 {
		delete(st.modStores, mod)
	}
}

// list prints one line for each mod with stored values: the loaded ones in load order, then the
// others.
func (st *Storage) list() (string, error) {
	var lines []string
	for _, m := range st.runtime.Mods {
		for _, set := range []string{m.Name, m.Name + sharedSuffix} {
			switch b := st.modStores[set]; {
			case b == nil:
			case b.err != nil:
				lines = append(lines, set+" error: "+b.err.Error())
			case len(b.keys) > 0:
				lines = append(lines, fmt.Sprintf("%s %d %d", set, b.bytes, len(b.keys)))
			}
		}
	}
	gone, err := st.gone()
	for _, u := range gone {
		line := fmt.Sprintf("%s %d %d", u.Mod, u.Bytes, u.Keys)
		if st.runtime.Mod(ownerOf(u.Mod)) == nil {
			line += " (not loaded)"
		}
		lines = append(lines, line)
	}
	if err != nil {
		lines = append(lines, "error: "+err.Error())
	}
	return strings.Join(lines, "\n"), nil
}

// storedText formats a stored value as Lua source, shortened to maxStoreText bytes.
func (st *Storage) storedText(value []byte) string {
	v, err := Decode(bind.Of(st.Console), value)
	if err != nil {
		return "error: " + err.Error()
	}
	text := bind.NewPrinter().Line(v)
	if len(text) > maxStoreText {
		text = text[:maxStoreText] + "…"
	}
	return text
}

// complete completes the name of a mod.
func (st *Storage) complete(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	var names []string
	for _, m := range st.runtime.Mods {
		if st.modStores[m.Name] != nil && strings.HasPrefix(m.Name, args[0]) {
			names = append(names, m.Name)
		}
	}
	return names
}
