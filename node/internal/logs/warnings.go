package logs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxWarnings is the number of warnings kept.
const maxWarnings = 8

// A Warning is a record of level Warn or above.
type Warning struct {
	Time  time.Time `json:"time"`
	Level string    `json:"level"`
	Text  string    `json:"text"` // the message and the attributes, in printable characters
}

// Warnings counts the warnings of a program and keeps the newest 8. It ignores those about peers,
// so no peer can hide the others.
type Warnings struct {
	mu     sync.Mutex
	count  int
	newest []Warning // oldest first
}

// Watch returns a logger that passes all records on to log, and the warnings among them.
func Watch(log *slog.Logger) (*slog.Logger, *Warnings) {
	w := new(Warnings)
	return slog.New(watcher{log.Handler(), w, ""}), w
}

// List returns the number of warnings, and the newest of them, oldest first.
func (w *Warnings) List() (count int, newest []Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count, append([]Warning{}, w.newest...)
}

func (w *Warnings) add(one Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	if len(w.newest) == maxWarnings {
		w.newest = slices.Delete(w.newest, 0, 1)
	}
	w.newest = append(w.newest, one)
}

// watcher passes records on, and notes the warnings.
type watcher struct {
	slog.Handler
	warnings *Warnings
	with     string // the attributes of the logger
}

// Enabled is also true for warnings that the handler does not write.
func (h watcher) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || h.Handler.Enabled(ctx, level)
}

func (h watcher) Handle(ctx context.Context, r slog.Record) error {
	if _, peer := peerOf(r); r.Level >= slog.LevelWarn && peer == "" {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool { text += attribute(a); return true })
		r := Warning{r.Time.UTC().Round(time.Millisecond), strings.ToLower(r.Level.String()), short(Plain(text + h.with))}
		h.warnings.add(r)
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func attribute(a slog.Attr) string { return fmt.Sprintf(" %s=%v", a.Key, a.Value) }

func (h watcher) WithAttrs(as []slog.Attr) slog.Handler {
	with := h.with
	for _, a := range as {
		with += attribute(a)
	}
	return watcher{h.Handler.WithAttrs(as), h.warnings, with}
}

func (h watcher) WithGroup(name string) slog.Handler {
	return watcher{h.Handler.WithGroup(name), h.warnings, h.with}
}
