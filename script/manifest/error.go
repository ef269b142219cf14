package manifest

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/torc-engine/torc/internal/boundtoml"
	"github.com/torc-engine/torc/internal/spell"
)

// maxError is the length of the reason of an Error, in bytes. It can quote the manifest.
const maxError = 400

// Error is an error about the manifest or the folders of a mod.
type Error struct {
	Mod  string // name of the mod's folder
	Dir  string // path of that folder: on the disk, or "mods/NAME"
	File string // "mod.toml"; "" if the folder itself is wrong
	Line int    // in File, from 1; 0 if no line is to blame
	Err  error
}

// Error names file and line in the form that terminals and editors make clickable.
func (e *Error) Error() string {
	where := path.Join(e.Dir, e.File)
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, e.Line)
	}
	return where + ": " + e.Reason()
}

// Reason returns the text without file and line.
func (e *Error) Reason() string { return clip(e.Err.Error(), maxError) }

func (e *Error) Unwrap() error { return e.Err }

// because sets the reason, and the line if the reason knows it.
func (e *Error) because(err error) *Error {
	e.Err = err
	var at *boundtoml.LineError
	var syntax toml.ParseError
	switch {
	case errors.As(err, &at):
		e.Line, e.Err = at.Line, at.Err
	case errors.As(err, &syntax):
		e.Line, e.Err = syntax.Position.Line, errors.New(syntax.Message)
	default:
		e.wrongType(err.Error())
	}
	return e
}

// wrongType takes line and key from the error of the decoder for a value of the wrong type, which
// has no type of its own: toml: line 3 (last key "name"): incompatible types.
func (e *Error) wrongType(text string) {
	head, reason, is := strings.Cut(text, `"): `)
	line, key, has := strings.Cut(strings.TrimPrefix(head, "toml: line "), ` (last key "`)
	n, err := strconv.Atoi(line)
	if is && has && err == nil {
		e.Line, e.Err = n, fmt.Errorf("%s: %s", key, reason)
	}
}

// meant suggests the nearest of the known names.
func meant(name string, known []string) string {
	if near := spell.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// clip shortens a text to a number of bytes.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// An entryError is an error about a key of a mod.toml. value is the wrong text in the key's value.
type entryError struct {
	key, value string
	err        error
}

func (e entryError) Error() string { return e.err.Error() }

// in adds the line in the text of the manifest: the first line with the value at or after the key,
// else the line of the key. The error has no line if the key is missing.
func (e entryError) in(text string) error {
	at := behindKey(text, e.key)
	if at < 0 {
		return e.err
	}
	if i := strings.Index(text[at:], e.value); i >= 0 {
		at += i
	}
	return &boundtoml.LineError{Line: 1 + strings.Count(text[:at], "\n"), Err: e.err}
}

// behindKey returns the offset behind KEY = in the first line that begins so, or -1. The key can be
// quoted.
func behindKey(text, key string) int {
	at := 0
	for line := range strings.Lines(text) {
		rest, is := strings.CutPrefix(unquote(strings.TrimLeft(line, " \t")), key)
		if rest = strings.TrimLeft(unquote(rest), " \t"); is && strings.HasPrefix(rest, "=") {
			return at + len(line) - len(rest) + 1
		}
		at += len(line)
	}
	return -1
}

// unquote removes a quote from the beginning of a text.
func unquote(text string) string {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		return text[1:]
	}
	return text
}
