// Package bans keeps the list of banned keys of a server, and its file.
//
// A ban applies to a public key, because names and addresses are easy to change. The file has one
// ban per line, with four fields separated by tabs: KEY, the end time or "forever", the name, the
// reason.
package bans

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine/node/internal/data"
	"github.com/torc-engine/torc/engine/node/internal/logs"
	"github.com/torc-engine/torc/netcore/seal"
)

// Forever is the end of a ban without an end.
var Forever time.Time

// Ban is one banned key.
type Ban struct {
	Key    seal.Key
	Until  time.Time // Forever: until it is removed
	Name   string    // of the player at the time of the ban
	Reason string
}

// List is the bans of one server, oldest first. The zero List is empty and has no file.
type List struct {
	path string
	bans []Ban
}

// Open reads the list. A missing file is an empty list. The error names the line.
func Open(path string) (*List, error) {
	l := &List{path: path}
	err := data.Lines(path, func(line string) error {
		b, err := parse(line)
		l.bans = append(l.bans, b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the bans cannot be read: %w", err)
	}
	return l, nil
}

// Add bans a key and saves the list. It replaces an earlier ban of the key.
func (l *List) Add(b Ban) error {
	b.Name, b.Reason = word(b.Name), word(b.Reason)
	l.drop(b.Key)
	l.bans = append(l.bans, b)
	return l.save()
}

// Remove removes the ban of a key. It reports whether there was one.
func (l *List) Remove(key seal.Key) (bool, error) {
	if !l.drop(key) {
		return false, nil
	}
	return true, l.save()
}

// Refusal returns why a key is refused now, or "" if it is not.
func (l *List) Refusal(key seal.Key, now time.Time) string {
	for _, b := range l.bans {
		switch {
		case b.Key != key || b.over(now):
			continue
		case b.Reason == "":
			return "banned: " + b.end(now)
		}
		return "banned: " + b.Reason + " (" + b.end(now) + ")"
	}
	return ""
}

// String returns the bans in force, one per line: KEY END NAME REASON.
func (l *List) String(now time.Time) string {
	var lines []string
	for _, b := range l.bans {
		if !b.over(now) {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%s %s %s %s", b.Key, b.end(now), b.Name, b.Reason), " "))
		}
	}
	return strings.Join(lines, "\n")
}

// ParseEnd reads the duration of a ban: 10m, 2h, 7d or forever.
func ParseEnd(text string, now time.Time) (until time.Time, ok bool) {
	if text == "forever" {
		return Forever, true
	}
	days := time.Duration(1)
	if n, isDays := strings.CutSuffix(text, "d"); isDays {
		text, days = n+"h", 24
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > 100*365*24*time.Hour/days {
		return Forever, false
	}
	return now.Add(d * days), true
}

func (b Ban) over(now time.Time) bool { return !b.Until.IsZero() && !now.Before(b.Until) }

func (b Ban) end(now time.Time) string {
	if b.Until.IsZero() {
		return "forever"
	}
	return "for " + b.Until.Sub(now).Round(time.Second).String()
}

// drop removes all bans of a key. A hand-written file can have several.
func (l *List) drop(key seal.Key) bool {
	before := len(l.bans)
	l.bans = slices.DeleteFunc(l.bans, func(b Ban) bool { return b.Key == key })
	return len(l.bans) < before
}

func (l *List) save() error {
	if l.path == "" {
		return nil
	}
	var text strings.Builder
	for _, b := range l.bans {
		until := "forever"
		if !b.Until.IsZero() {
			until = b.Until.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(&text, "%s\t%s\t%s\t%s\n", b.Key, until, b.Name, b.Reason)
	}
	if err := data.Save(l.path, text.String()); err != nil {
		return fmt.Errorf("the ban holds until the server ends, but cannot be saved: %w", err)
	}
	return nil
}

func parse(line string) (b Ban, err error) {
	parts := strings.SplitN(line, "\t", 4)
	if len(parts) != 4 {
		return b, errors.New("a ban is KEY, END, NAME and REASON, separated by tabs")
	}
	if b.Key, err = seal.ParseKey(parts[0]); err != nil {
		return b, err
	}
	if parts[1] != "forever" {
		if b.Until, err = time.Parse(time.RFC3339, parts[1]); err != nil {
			return b, fmt.Errorf("%q is neither a time like 2030-01-31T12:00:00Z nor forever", parts[1])
		}
	}
	b.Name, b.Reason = parts[2], parts[3]
	return b, nil
}

// word turns a text into one field of a line.
func word(s string) string { return strings.Join(strings.Fields(logs.Plain(s)), " ") }
