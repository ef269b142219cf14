package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/bind"
)

const (
	maxStoreLines = 1000 // maximum number of keys in the output of the command store
	maxStoreText  = 80   // maximum length of a printed value in bytes
)

// Commands returns the console command that prints stored values, or none without a store.
func (st *Storage) Commands() []console.Command {
	if st.store == nil {
		return nil
	}
	return []console.Command{{
		Name: "store", Params: "[MOD [PREFIX]]", Help: "lists the stored data of mods: MOD BYTES KEYS; of one mod: KEY BYTES VALUE",
		Run: st.print, Complete: st.complete,
	}}
}

func (st *Storage) print(args []string) (string, error) {
	if len(args) > 2 {
		return "", errors.New("usage: store [MOD [PREFIX]]")
	}
	if len(args) == 0 {
		return st.list(), nil
	}
	m := st.runtime.Mod(args[0])
	if m == nil || st.modStores[m.Name] == nil {
		return "", fmt.Errorf("unknown mod %s (store lists the loaded mods)", console.Quote(args[0]))
	}
	b, prefix := st.modStores[m.Name], ""
	if len(args) == 2 {
		prefix = args[1]
	}
	var lines []string
	for key, more := b.after("", prefix, false); more; key, more = b.after(key, prefix, true) {
		if len(lines) == maxStoreLines {
			lines = append(lines, fmt.Sprintf("(only the first %d: store %s PREFIX shows fewer)", maxStoreLines, m.Name))
			break
		}
		lines = append(lines, fmt.Sprintf("%s %d %s", bind.Quote(key), len(b.values[key]), st.storedText(b.values[key])))
	}
	return strings.Join(lines, "\n"), b.err
}

// list prints one line for each mod with stored values, in load order.
func (st *Storage) list() string {
	var lines []string
	for _, m := range st.runtime.Mods {
		switch b := st.modStores[m.Name]; {
		case b == nil:
		case b.err != nil:
			lines = append(lines, m.Name+" error: "+b.err.Error())
		case len(b.keys) > 0:
			lines = append(lines, fmt.Sprintf("%s %d %d", m.Name, b.bytes, len(b.keys)))
		}
	}
	return strings.Join(lines, "\n")
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
