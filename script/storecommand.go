package script

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

// storeCommands returns the console command that prints stored values, or none without a store.
func (s *Scripts) storeCommands() []console.Command {
	if s.storage.store == nil {
		return nil
	}
	return []console.Command{{
		Name: "store", Params: "[MOD [PREFIX]]", Help: "lists the stored data of mods: MOD BYTES KEYS; of one mod: KEY BYTES VALUE",
		Run: s.storeCommand, Complete: s.completeStore,
	}}
}

func (s *Scripts) storeCommand(args []string) (string, error) {
	if len(args) > 2 {
		return "", errors.New("usage: store [MOD [PREFIX]]")
	}
	if len(args) == 0 {
		return s.storeList(), nil
	}
	m := s.Runtime.Mod(args[0])
	if m == nil || s.storage.modStores[m.Name] == nil {
		return "", fmt.Errorf("unknown mod %s (store lists the loaded mods)", console.Quote(args[0]))
	}
	b, prefix := s.storage.modStores[m.Name], ""
	if len(args) == 2 {
		prefix = args[1]
	}
	var lines []string
	for key, more := b.after("", prefix, false); more; key, more = b.after(key, prefix, true) {
		if len(lines) == maxStoreLines {
			lines = append(lines, fmt.Sprintf("(only the first %d: store %s PREFIX shows fewer)", maxStoreLines, m.Name))
			break
		}
		lines = append(lines, fmt.Sprintf("%s %d %s", bind.Quote(key), len(b.values[key]), s.storedText(b.values[key])))
	}
	return strings.Join(lines, "\n"), b.err
}

// storeList prints one line for each mod with stored values, in load order.
func (s *Scripts) storeList() string {
	var lines []string
	for _, m := range s.Runtime.Mods {
		switch b := s.storage.modStores[m.Name]; {
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
func (s *Scripts) storedText(value []byte) string {
	v, err := decodeStored(bind.Of(s.operator), value)
	if err != nil {
		return "error: " + err.Error()
	}
	text := bind.NewPrinter().Line(v)
	if len(text) > maxStoreText {
		text = text[:maxStoreText] + "…"
	}
	return text
}

// completeStore completes the name of a mod.
func (s *Scripts) completeStore(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	var names []string
	for _, m := range s.Runtime.Mods {
		if s.storage.modStores[m.Name] != nil && strings.HasPrefix(m.Name, args[0]) {
			names = append(names, m.Name)
		}
	}
	return names
}
