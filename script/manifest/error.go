package manifest

import (
	"errors"
	"fmt"
	"path"
	"regexp"
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
	kind := wrongType.FindStringSubmatch(err.Error())
	switch {
	case errors.As(err, &at):
		e.Line, e.Err = at.Line, at.Err
	case errors.As(err, &syntax):
		e.Line, e.Err = syntax.Position.Line, errors.New(syntax.Message)
	case kind != nil:
		e.Line, _ = strconv.Atoi(kind[1])
		e.Err = fmt.Errorf("%s: %s", kind[2], kind[3])
	}
	return e
}

// wrongType matches the error of the decoder for a value of the wrong type, which has no type of
// its own.
var wrongType = regexp.MustCompile(`^toml: line (\d+) \(last key "([^"]*)"\): (.*)$`)

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
	key := regexp.MustCompile(`(?m)^[ \t]*["']?` + regexp.QuoteMeta(e.key) + `["']?[ \t]*=`).FindStringIndex(text)
	if key == nil {
		return e.err
	}
	at := key[1]
	if i := strings.Index(text[at:], e.value); i >= 0 {
		at += i
	}
	return &boundtoml.LineError{Line: 1 + strings.Count(text[:at], "\n"), Err: e.err}
}
