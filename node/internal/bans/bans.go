// Package bans keeps lists of keys and addresses of a server, and their files: the banned, the
// muted and the allowed ones.
//
// An entry applies to a public key, to an address or to a range of addresses. Names are easy to
// change. A file has one entry per line, with four fields separated by tabs: KEY or RANGE, the end
// time or "forever", the name, the reason.
package bans

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/logs"
)

// Forever is the end of an entry without an end.
var Forever time.Time

// Target is a key, or a range of addresses.
type Target struct {
	Key   seal.Key
	Range netip.Prefix // valid: the target is this range
}

// The widest ranges: a wider one is more likely a slip than meant.
const (
	widest4 = 8
	widest6 = 16
)

// ParseTarget reads a key, an address, an address with a port, or a range like 192.0.2.0/24. An
// IPv6 address stands for its /64, the range of one customer. ok is false for any other text.
func ParseTarget(text string) (t Target, ok bool, err error) {
	if t.Key, err = seal.ParseKey(text); err == nil {
		return t, true, nil
	}
	t.Key = seal.Key{}
	t.Range, err = netip.ParsePrefix(text)
	if err != nil {
		at, err := netip.ParseAddr(text)
		if err != nil {
			port, err := netip.ParseAddrPort(text)
			if err != nil {
				return Target{}, false, nil
			}
			at = port.Addr()
		}
		bits := 64
		if at = at.Unmap().WithZone(""); at.Is4() {
			bits = 32
		}
		t.Range = netip.PrefixFrom(at, bits)
	}
	if at := t.Range.Addr(); at.Is4In6() && t.Range.Bits() >= 96 {
		t.Range = netip.PrefixFrom(at.Unmap(), t.Range.Bits()-96)
	}
	t.Range = t.Range.Masked()
	least := widest6
	if t.Range.Addr().Is4() {
		least = widest4
	}
	if t.Range.Bits() < least {
		return Target{}, true, fmt.Errorf("%s is too wide: a range must be /%d or narrower", text, least)
	}
	return t, true, nil
}

// String returns the form that ParseTarget reads. A single IPv4 address has no length.
func (t Target) String() string {
	switch {
	case !t.Range.IsValid():
		return t.Key.String()
	case t.Range.IsSingleIP() && t.Range.Addr().Is4():
		return t.Range.Addr().String()
	}
	return t.Range.String()
}

// Has reports whether the target is this key or contains this address. address can be invalid.
func (t Target) Has(key seal.Key, address netip.Addr) bool {
	if t.Range.IsValid() {
		return t.Range.Contains(address.Unmap())
	}
	return t.Key == key
}

// Ban is one entry of a list: a ban, or the same of another list.
type Ban struct {
	Target
	Until  time.Time // Forever: until it is removed
	Name   string    // of the player at that time
	Reason string
}

// List is one list of a server, oldest entry first. The zero List is empty and has no file.
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
		return nil, fmt.Errorf("the file %s cannot be read: %w", filepath.Base(path), err)
	}
	return l, nil
}

// Add adds a ban and saves the list. It replaces an earlier ban of the target.
func (l *List) Add(b Ban) error {
	b.Name, b.Reason = word(b.Name), word(b.Reason)
	l.drop(b.Target)
	l.bans = append(l.bans, b)
	return l.save()
}

// Remove removes the ban of a target. It reports whether there was one.
func (l *List) Remove(t Target) (bool, error) {
	if !l.drop(t) {
		return false, nil
	}
	return true, l.save()
}

// Find returns the oldest entry in force that has a player. address can be invalid.
func (l *List) Find(key seal.Key, address netip.Addr, now time.Time) (b Ban, found bool) {
	for _, b := range l.bans {
		if b.Has(key, address) && !b.over(now) {
			return b, true
		}
	}
	return Ban{}, false
}

// Why returns the reason of an entry and its end, for people.
func (b Ban) Why(now time.Time) string {
	if b.Reason == "" {
		return b.end(now)
	}
	return b.Reason + " (" + b.end(now) + ")"
}

// String returns the entries in force, one per line: KEY END NAME REASON, with a range in place of
// the key.
func (l *List) String(now time.Time) string {
	var lines []string
	for _, b := range l.bans {
		if !b.over(now) {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%s %s %s %s", b.Target, b.end(now), b.Name, b.Reason), " "))
		}
	}
	return strings.Join(lines, "\n")
}

// ParseEnd reads the duration of an entry: 10m, 2h, 7d or forever.
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

// drop removes all bans of a target. A hand-written file can have several.
func (l *List) drop(t Target) bool {
	before := len(l.bans)
	l.bans = slices.DeleteFunc(l.bans, func(b Ban) bool { return b.Target == t })
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
		fmt.Fprintf(&text, "%s\t%s\t%s\t%s\n", b.Target, until, b.Name, b.Reason)
	}
	if err := data.Save(l.path, text.String()); err != nil {
		return fmt.Errorf("the change holds until the server ends, but cannot be saved: %w", err)
	}
	return nil
}

func parse(line string) (b Ban, err error) {
	parts := strings.SplitN(line, "\t", 4)
	if len(parts) != 4 {
		return b, errors.New("a ban is KEY or RANGE, END, NAME and REASON, separated by tabs")
	}
	is := false
	if b.Target, is, err = ParseTarget(parts[0]); err != nil {
		return b, err
	}
	if !is {
		return b, fmt.Errorf("%q is neither a key nor an address", parts[0])
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
