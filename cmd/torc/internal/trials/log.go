package trials

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// logged is a line of the log.
type logged struct {
	text string
	bad  bool
}

// lines is a slog.Handler that keeps what is logged: all of the server, the errors of clients.
type lines struct {
	stage *stage
	who   string // "" for the server
}

func (l lines) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo && (l.who == "" || level >= slog.LevelError)
}

// Handle keeps the text, and where it was logged if Lua did it.
func (l lines) Handle(_ context.Context, r slog.Record) error {
	if len(l.stage.log) >= maxPrinted {
		return nil
	}
	text := r.Message
	if l.who != "" {
		text = l.who + ": " + text
	}
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "at" && a.Value.String() != "" {
			text = a.Value.String() + ": " + text
		}
		return true
	})
	l.stage.log = append(l.stage.log, logged{text, r.Level >= slog.LevelError})
	return nil
}

func (l lines) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l lines) WithGroup(string) slog.Handler      { return l }

// Log is part of script.Stage.
func (s *stage) Log() []string {
	s.known = len(s.log)
	return s.lines()
}

// lines are the texts of the log.
func (s *stage) lines() []string {
	texts := make([]string, len(s.log))
	for i, l := range s.log {
		texts[i] = l.text
	}
	return texts
}

// forgetLog begins a log anew, for the next test. What failed between two tests the next one is told of.
func (s *stage) forgetLog() {
	s.log = slices.DeleteFunc(s.log[s.known:], func(l logged) bool { return !l.bad })
	s.known = 0
}

// unread is an error that was logged and that no test has looked at.
func (s *stage) unread() error {
	for _, l := range s.log[s.known:] {
		if l.bad {
			s.known = len(s.log)
			return fmt.Errorf("the server has logged an error: %s", strings.ReplaceAll(l.text, "\n", " "))
		}
	}
	return nil
}
