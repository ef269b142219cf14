// Package logs makes a logger with one record per line. It limits how often the same message is
// written, so no peer and no mod can fill a disk.
package logs

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	perSecond = 10   // records of one message in a second
	messages  = 4096 // different messages with a limit of their own; the rest share one limit
)

// New returns a logger that writes records of level and above to w, as "text" or "json".
func New(w io.Writer, level slog.Leveler, format string) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: plain}
	var h slog.Handler = slog.NewTextHandler(w, o)
	if format == "json" {
		h = slog.NewJSONHandler(w, o)
	}
	return slog.New(limited{h, &limits{seen: map[string]*limit{}}})
}

// limited passes at most perSecond records of one message. The next record reports the number
// suppressed.
type limited struct {
	slog.Handler
	limits *limits
}

func (l limited) Handle(ctx context.Context, r slog.Record) error {
	pass, kept := l.limits.take(r.Message, r.Time)
	if !pass {
		return nil
	}
	if kept > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("suppressed", kept))
	}
	return l.Handler.Handle(ctx, r)
}

func (l limited) WithAttrs(as []slog.Attr) slog.Handler {
	return limited{l.Handler.WithAttrs(as), l.limits}
}

func (l limited) WithGroup(name string) slog.Handler {
	return limited{l.Handler.WithGroup(name), l.limits}
}

type limits struct {
	mu    sync.Mutex
	seen  map[string]*limit
	swept time.Time // time of the last call of forget
}

// limit counts the records of one message in the second that starts at since.
type limit struct {
	since time.Time
	count int
	kept  int
}

// take reports whether a record can pass now, and how many were suppressed before it.
func (l *limits) take(message string, now time.Time) (pass bool, kept int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.seen[message]
	if one == nil {
		if age := now.Sub(l.swept); len(l.seen) >= messages && (age < 0 || age >= time.Second) {
			l.forget(now)
		}
		if len(l.seen) >= messages {
			message = "" // the shared limit of the rest
			one = l.seen[message]
		}
		if one == nil {
			one = &limit{since: now}
			l.seen[message] = one
		}
	}
	if age := now.Sub(one.since); age < 0 || age >= time.Second {
		one.since, one.count = now, 0
	}
	if one.count >= perSecond {
		one.kept++
		return false, 0
	}
	one.count++
	kept, one.kept = one.kept, 0
	return true, kept
}

// forget removes messages whose second is over and without suppressed records to report. It reads
// the whole table, so the caller must not call it for each message of a flood.
func (l *limits) forget(now time.Time) {
	l.swept = now
	for message, one := range l.seen {
		if one.kept == 0 && now.Sub(one.since) >= time.Second {
			delete(l.seen, message)
		}
	}
}

// plain removes control characters from the texts of an attribute.
func plain(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(Plain(a.Value.String()))
	} else if err, ok := a.Value.Any().(error); ok {
		a.Value = slog.StringValue(Plain(err.Error()))
	}
	return a
}

// Plain replaces control and format characters by U+FFFD: escapes, bidi overrides, zero widths. It
// keeps tabs and newlines.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
