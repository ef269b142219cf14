package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/internal/boundtoml"
	"github.com/torc-engine/torc/internal/order"
)

// file is the TOML file of the settings.
type file struct {
	path     string
	settings map[string][]string // the values of each flag, in order
	vars     []Var               // sorted by name
	lines    map[string]int      // by the dotted key: net.rate in [vars] is vars.net.rate
}

// read reads the file. A key must be a flag of at least one subcommand that reads settings.
func (f *file) read() error {
	text, err := readBounded(f.path)
	if err != nil {
		return flags.Usagef("--config cannot be read: %v", err)
	}
	return f.parse(text)
}

// parse takes the settings and the variables of the file's text.
func (f *file) parse(text string) error {
	var tree map[string]any
	if _, err := boundtoml.Decode(text, &tree); err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return flags.Usagef("%s:%d: %s", f.path, bad.Position.Line, bad.Message)
		}
		return flags.Usagef("%s: %v", f.path, err)
	}
	f.settings, f.lines = map[string][]string{}, map[string]int{}
	for _, e := range entries(text) {
		if _, known := f.lines[e.key]; !known {
			f.lines[e.key] = e.line
		}
	}
	return f.take(tree)
}

// take takes the settings and the variables of the parsed file.
func (f *file) take(tree map[string]any) error {
	known := slices.DeleteFunc(settingNames(), func(name string) bool { return name == "config" })
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		value := tree[key]
		if table, ok := value.(map[string]any); ok && key == "vars" {
			if err := f.flatten("", table); err != nil {
				return err
			}
			continue
		}
		if table, ok := value.(map[string]any); ok && key == peerTable {
			if err := f.peers(table); err != nil {
				return err
			}
			continue
		}
		if !slices.Contains(known, key) {
			near := flags.Suggestion("", key, append(known, "vars", peerTable))
			return flags.Usagef("%s: %q is not a setting%s (keys are names of flags; console variables are in [vars])", f.at(key), key, near)
		}
		values, err := texts(value)
		if err != nil {
			return flags.Usagef("%s: %s %v", f.at(key), key, err)
		}
		f.settings[key] = values
	}
	order.By(f.vars, func(a, b Var) int {
		if a.Name == profile || b.Name == profile {
			return cmp.Compare(strings.Count(b.Name, profile), strings.Count(a.Name, profile))
		}
		return strings.Compare(a.Name, b.Name)
	})
	return f.twice()
}

// peerTable is the table of the peers: NAME = "HOST:PORT#KEY".
const peerTable = "peers"

// peers takes the peers as values of their flag.
func (f *file) peers(table map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		address, ok := table[name].(string)
		if !ok {
			return flags.Usagef("%s: [peers] %s must be text: HOST:PORT#KEY", f.at(peerTable+"."+name), name)
		}
		f.settings["peer"] = append(f.settings["peer"], name+"="+address)
	}
	if f.lines["peer"] == 0 {
		f.lines["peer"] = f.line(peerTable)
	}
	return nil
}

// profile is the variable that sets others, so it is set first.
const profile = "net.profile"

// twice returns an error for a variable that the file also sets as a flag.
func (f *file) twice() error {
	for _, v := range f.vars {
		if flag, ok := flagOf[v.Name]; ok && f.settings[flag] != nil {
			return flags.Usagef("%s: %s is also set in line %d, by %s: remove one of them", f.at("vars."+v.Name), v.Name, f.line(flag), flag)
		}
	}
	return nil
}

// at returns FILE:LINE of a dotted key, or of the inline table that contains it.
func (f *file) at(key string) string { return fmt.Sprintf("%s:%d", f.path, f.line(key)) }

func (f *file) line(key string) int {
	for {
		if line, ok := f.lines[key]; ok {
			return line
		}
		dot := strings.LastIndexByte(key, '.')
		if dot < 0 {
			return 1
		}
		key = key[:dot]
	}
}

// byteOrderMark is what editors of Windows write before the text of a file.
const byteOrderMark = "\ufeff"

// readBounded reads a file without its byte order mark, up to a few bytes more than a configuration
// file can have.
func readBounded(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, boundtoml.MaxSize+int64(len(byteOrderMark))+1))
	return strings.TrimPrefix(string(text), byteOrderMark), err
}

// texts converts a TOML value, or each value of a list, to the text of a flag.
func texts(value any) ([]string, error) {
	switch v := value.(type) {
	case []any:
		var all []string
		for _, item := range v {
			one, err := texts(item)
			if err != nil {
				return nil, err
			}
			all = append(all, one...)
		}
		return all, nil
	case string:
		return []string{v}, nil
	case int64, float64, bool:
		return []string{fmt.Sprint(v)}, nil
	}
	return nil, errors.New("must be text, a number, true, false, or a list of these")
}

// flatten converts nested tables to dotted names: net.rate is rate in the table net.
func (f *file) flatten(prefix string, table map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		name, value := prefix+key, table[key]
		if inner, ok := value.(map[string]any); ok {
			if err := f.flatten(name+".", inner); err != nil {
				return err
			}
			continue
		}
		text, err := texts(value)
		if err != nil || len(text) != 1 {
			return flags.Usagef("%s: [vars] %s must be text, a number, true or false", f.at("vars."+name), name)
		}
		f.vars = append(f.vars, Var{name, text[0], f.line("vars." + name)})
	}
	return nil
}
