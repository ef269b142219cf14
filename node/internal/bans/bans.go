// Package bans keeps lists of keys and addresses of a server, and their files: the banned, the
// muted and the allowed ones.
//
// An entry applies to a public key, to an address or to a range of addresses. Names are easy to
// change. A file has one entry per line, with four fields separated by tabs: KEY or RANGE, the end
// time or "forever", the name, the reason. People can edit it (data.EditedFile). The last fields
// can be missing: a KEY or RANGE alone is an entry for ever.
package bans

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/logs"
)

// Forever is the end of an entry without an end.
var Forever time.Time

// forever stands for it.
const forever = "forever"

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

// Ban is one entry of a list: a ban, or the same of another list.
type Ban struct {
	Target
	Until  time.Time // Forever: until it is removed
	Name   string    // of the player at that time
	Reason string
}

// Why returns the reason of an entry and its end, for people.
func (b Ban) Why(now time.Time) string {
	if b.Reason == "" {
		return b.end(now)
	}
	return b.Reason + " (" + b.end(now) + ")"
}

// ParseEnd reads the duration of an entry: 10m, 2h, 7d or forever.
func ParseEnd(text string, now time.Time) (until time.Time, ok bool) {
	if text == forever {
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
		return forever
	}
	return "for " + b.Until.Sub(now).Round(time.Second).String()
}

// Format returns the line of a ban in a file, without its line end.
func Format(b Ban) string {
	until := forever
	if !b.Until.IsZero() {
		until = b.Until.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s", b.Target, until, b.Name, b.Reason)
}

// Parse reads the line of a ban.
func Parse(line string) (b Ban, err error) {
	parts := make([]string, 4)
	copy(parts, strings.SplitN(strings.TrimSpace(line), "\t", 4))
	parts[0], parts[1] = strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1])
	if strings.Contains(parts[0], " ") {
		return b, errors.New("an entry is KEY or RANGE, END, NAME and REASON, separated by tabs")
	}
	is := false
	if b.Target, is, err = ParseTarget(parts[0]); err != nil {
		return b, err
	}
	if !is {
		return b, fmt.Errorf("%q is neither a key nor an address", parts[0])
	}
	if parts[1] != "" && parts[1] != forever {
		if b.Until, err = time.Parse(time.RFC3339, parts[1]); err != nil {
			return b, fmt.Errorf("%q is neither a time like 2030-01-31T12:00:00Z nor forever", parts[1])
		}
	}
	b.Name, b.Reason = parts[2], parts[3]
	return b, nil
}

// line returns an entry for people: KEY END NAME REASON, with a range in place of the key.
func (b Ban) line(now time.Time) string {
	return strings.TrimRight(fmt.Sprintf("%s %s %s %s", b.Target, b.end(now), b.Name, b.Reason), " ")
}

// word turns a text into one field of a line.
func word(s string) string { return strings.Join(strings.Fields(logs.Plain(s)), " ") }
