package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// flagOf are the variables that have a flag. The file sets either.
var flagOf = map[string]string{"sv.name": "name", "sv.maxClients": "max-clients", "sv.password": "password", "sv.bots": "bots", "sv.public": "public"}

// A Change is a new value of a variable for the file: a bool, a float64 or a string.
type Change struct {
	Var   string
	Value any
}

// Overridden returns the flag or the environment variable that decides a variable whatever the file
// says, or "".
func (o *Sources) Overridden(name string) string {
	for _, s := range o.Settings {
		if s.Name == flagOf[name] && (strings.HasPrefix(s.From, "--") || strings.HasPrefix(s.From, "TORC_")) {
			return s.From
		}
	}
	return ""
}

// Save writes variables into the file at path. It changes only their values, or adds a line for
// each new one, so comments and the order stay. The file is replaced at once, or not at all.
func Save(path string, changes []Change) error {
	text, err := readBounded(path)
	if err != nil {
		return err
	}
	old := &file{path: path}
	if err := old.parse(text); err != nil {
		return err
	}
	for _, c := range changes {
		if text, err = edit(text, old.key(c.Var), literal(c.Value)); err != nil {
			return fmt.Errorf("%s: %s %w", path, c.Var, err)
		}
	}
	saved := &file{path: path}
	if err := saved.parse(text); err != nil {
		return fmt.Errorf("%w (nothing is saved: change the file by hand)", err)
	}
	return replace(path, text)
}

// key returns the dotted key of a variable in the file: the name of its flag, unless [vars] has it.
func (f *file) key(name string) string {
	key := "vars." + name
	if flag, ok := flagOf[name]; ok && f.lines[key] == 0 {
		return flag
	}
	return key
}

// edit sets a key of a TOML text to a value.
func edit(text, key, value string) (string, error) {
	all := entries(text)
	for _, e := range all {
		switch {
		case e.key == key && e.start < e.end:
			return text[:e.start] + value + text[e.end:], nil
		case strings.HasPrefix(key, e.key+".") && e.start < e.end:
			return "", fmt.Errorf("is in an inline table in line %d: change it there by hand", e.line)
		}
	}
	return add(text, all, key, value), nil
}

// add adds a key after the last line of the innermost table that can have it.
func add(text string, all []entry, key, value string) string {
	table, at, dotted := "", 0, false
	for _, e := range all {
		dotted = dotted || e.table == "" && strings.HasPrefix(e.key, "vars.") && e.start < e.end
		switch {
		case e.start < e.end && e.table == table:
			at = e.after
		case e.start == e.end && strings.HasPrefix(key, e.key+".") && len(e.key) >= len(table):
			table, at = e.key+".", e.after
		}
	}
	line := strings.TrimPrefix(key, table) + " = " + value
	switch {
	case table == "" && strings.HasPrefix(key, "vars.") && !dotted:
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + "\n[vars]\n" + strings.TrimPrefix(key, "vars.") + " = " + value + "\n"
	case at == 0:
		return line + "\n" + text
	}
	if strings.HasSuffix(text[:at], "\r") {
		at--
		line = "\r\n" + line
	} else {
		line = "\n" + line
	}
	return text[:at] + line + text[at:]
}

// literal returns a value in the notation of TOML.
func literal(value any) string {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', 14, 64)
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(fmt.Sprint(value), "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// replace writes a file in place of an old one, with the same permissions.
func replace(path, text string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	old, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	for _, step := range []func() error{
		func() error { return f.Chmod(old.Mode().Perm()) },
		func() error { _, err := f.WriteString(text); return err },
		f.Sync,
	} {
		if err := step(); err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// PasswordFile returns the file that the password of the configuration file comes from, or "".
func (o *Sources) PasswordFile() string {
	for _, v := range o.Vars {
		if name, ok := strings.CutPrefix(v.Value, "@"); ok && v.Name == "sv.password" {
			return name
		}
	}
	i := slices.IndexFunc(o.Settings, func(s Setting) bool { return s.Name == "password" })
	if i < 0 || o.Overridden("sv.password") != "" {
		return ""
	}
	name, ok := strings.CutPrefix(o.Settings[i].Value, "@")
	if !ok {
		return ""
	}
	return name
}

// SavePassword writes a password into the file that has it.
func SavePassword(path, password string) error { return replace(path, password+"\n") }
