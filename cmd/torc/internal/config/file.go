package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/torc-engine/torc/internal/boundtoml"
)

// readFile reads the TOML file. It returns the values of each flag, in order, and the console
// variables. One file can configure several subcommands, so a key must be a flag of at least one of
// them.
func readFile(path string) (map[string][]string, []Var, error) {
	var tree map[string]any
	text, err := readBounded(path)
	if err != nil {
		return nil, nil, &UsageError{fmt.Sprintf("--config cannot be read: %v", err)}
	}
	if _, err := boundtoml.Decode(text, &tree); err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return nil, nil, &UsageError{fmt.Sprintf("%s:%d: %s", path, bad.Position.Line, bad.Message)}
		}
		return nil, nil, &UsageError{fmt.Sprintf("%s: %v", path, err)}
	}
	settings := map[string][]string{}
	var vars []Var
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		value := tree[key]
		if table, ok := value.(map[string]any); ok && key == "vars" {
			if err := flatten("", table, &vars); err != nil {
				return nil, nil, &UsageError{fmt.Sprintf("%s: %v", path, err)}
			}
			continue
		}
		if !isFlag(key) {
			return nil, nil, &UsageError{fmt.Sprintf("%s: %q is not a setting: use the name of a flag, and put console variables in [vars]", path, key)}
		}
		values, err := texts(value)
		if err != nil {
			return nil, nil, &UsageError{fmt.Sprintf("%s: %s %v", path, key, err)}
		}
		settings[key] = values
	}
	slices.SortFunc(vars, func(a, b Var) int { return strings.Compare(a.Name, b.Name) })
	return settings, vars, nil
}

// readBounded reads a file, up to one byte more than a configuration file can have.
func readBounded(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, boundtoml.MaxSize+1))
	return string(text), err
}

func isFlag(name string) bool {
	for _, s := range Subcommands {
		if f := flags(&Options{Subcommand: s.Name}).Lookup(name); f != nil && name != "config" {
			return true
		}
	}
	return false
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
func flatten(prefix string, table map[string]any, vars *[]Var) error {
	for key, value := range table {
		if inner, ok := value.(map[string]any); ok {
			if err := flatten(prefix+key+".", inner, vars); err != nil {
				return err
			}
			continue
		}
		text, err := texts(value)
		if err != nil || len(text) != 1 {
			return fmt.Errorf("[vars] %s%s must be text, a number, true or false", prefix, key)
		}
		*vars = append(*vars, Var{prefix + key, text[0]})
	}
	return nil
}
