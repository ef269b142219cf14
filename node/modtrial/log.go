package modtrial

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// logged is a line of the log.
type logged struct {
	text  string
	trace string // of a script error: the traceback
	bad   bool
}

// lines is a slog.Handler that keeps log lines: all of the server, and the errors of clients.
type lines struct {
	test  *testServer
	who   string // "" for the server
	least slog.Level
}

func (l lines) Enabled(_ context.Context, level slog.Level) bool {
	return level >= l.least && (l.who == "" || level >= slog.LevelError)
}

// said are the attributes whose values are in the message already.
var said = []string{"handler", "file", "line", "function"}

// Handle keeps a line: the place in Lua, the message, the attributes as KEY=VALUE.
func (l lines) Handle(_ context.Context, r slog.Record) error {
	if len(l.test.log) >= maxPrinted {
		return nil
	}
	entry := logged{text: r.Message, bad: r.Level >= slog.LevelError}
	mod, at := "", ""
	r.Attrs(func(a slog.Attr) bool {
		switch value := a.Value.String(); {
		case a.Key == "mod":
			mod = value
		case a.Key == "at":
			at = cmp.Or(value, mod)
		case a.Key == "traceback":
			entry.trace = value
		case slices.Contains(said, a.Key):
		case strings.ContainsAny(value, " \"\n\t") || value == "":
			entry.text += fmt.Sprintf(" %s=%q", a.Key, value)
		default:
			entry.text += fmt.Sprintf(" %s=%s", a.Key, value)
		}
		return true
	})
	if at != "" {
		entry.text = at + ": " + entry.text
	}
	if l.who != "" {
		entry.text = l.who + ": " + entry.text
	}
	l.test.log = append(l.test.log, entry)
	return nil
}

func (l lines) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l lines) WithGroup(string) slog.Handler      { return l }

// Log is part of trial.TestNetwork.
func (s *testServer) Log() []string {
	s.known = len(s.log)
	return s.lines()
}

// lines returns the texts of the log.
func (s *testServer) lines() []string {
	texts := make([]string, len(s.log))
	for i, l := range s.log {
		texts[i] = l.text
	}
	return texts
}

// forgetWarnings keeps only errors in the log: those of the loading, for the first test to see.
func (s *testServer) forgetWarnings() {
	s.log = slices.DeleteFunc(s.log, func(l logged) bool { return !l.bad })
}

// takeLog returns the texts of the log, and clears it for the next test.
func (s *testServer) takeLog() []string {
	texts := s.lines()
	s.log, s.known = nil, 0
	return texts
}

// unread returns a logged error that no test has read, and its traceback.
func (s *testServer) unread() (trace string, err error) {
	for _, l := range s.log[s.known:] {
		if l.bad {
			return l.trace, fmt.Errorf("the server has logged an error: %s", strings.ReplaceAll(l.text, "\n", " "))
		}
	}
	return "", nil
}
