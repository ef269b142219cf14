package serverlist

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

const (
	// Path is where a list has its file.
	Path = "/servers.json"
	// MaxSize is the number of bytes of a list that a client reads.
	MaxSize = 8 << 20
	maxRead = 20_000 // servers
)

var errMalformed = errors.New("it is no list of servers")

// Parse reads the file of a list. It skips servers that it cannot use: a list is a stranger's text.
// host is the host of the list, for servers that are reached through it.
func Parse(b []byte, host string) ([]Entry, error) {
	var files []json.RawMessage
	switch {
	case len(b) > MaxSize:
		return nil, fmt.Errorf("it has more than %d MiB", MaxSize>>20)
	case json.Unmarshal(b, &files) != nil:
		return nil, errMalformed
	}
	var all []Entry
	for _, text := range files[:min(len(files), maxRead)] {
		var f file
		if json.Unmarshal(text, &f) != nil {
			continue
		}
		if e, ok := f.entry(host); ok {
			all = append(all, e)
		}
	}
	return all, nil
}

// entry checks a server of a file.
func (f *file) entry(host string) (e Entry, ok bool) {
	key, err := seal.ParseKey(f.Key)
	if err != nil {
		return e, false
	}
	e = Entry{Key: key, Name: harmless(f.Name, maxName), Mission: harmless(f.Mission, maxMission), Password: f.Password, Protocol: f.Protocol, Draining: f.Draining, Seen: max(0, f.Seen), Old: f.Old}
	e.Players, e.Bots, e.Max = count(f.Players), count(f.Bots), count(f.Max)
	if at, err := netip.ParseAddrPort(f.Address); err == nil && at.Port() != 0 && oneMachine(at.Addr()) {
		e.Address = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	}
	e.Via = viaOf(f.Via, host)
	for _, m := range f.Mods[:min(len(f.Mods), maxMods)] {
		e.Mods = append(e.Mods, harmless(m, maxMission))
	}
	if s, ok := parseSite(f.Web); ok && f.Web != "" && s.host != "" {
		e.Web = s.at(netip.Addr{})
	}
	return e, e.Address.IsValid() || e.Via != ""
}

// count bounds a number of players.
func count(n int) int { return max(0, min(n, 1<<16-1)) }

// oneMachine reports whether an address can be that of one server.
func oneMachine(a netip.Addr) bool {
	a = a.Unmap()
	return a.Zone() == "" && !a.IsMulticast() && !a.IsUnspecified() && a != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

// ValidVia reports whether clients can read a text as HOST:PORT, or :PORT, of a rendezvous.
func ValidVia(text string) bool { return viaOf(text, "localhost") != "" }

// viaOf returns HOST:PORT of a rendezvous; "" if the text names none.
func viaOf(text, host string) string {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return ""
	}
	if at > 0 {
		host = strings.ToLower(strings.Trim(text[:at], "[]"))
	}
	port, err := strconv.ParseUint(text[at+1:], 10, 16)
	if err != nil || port == 0 || !validHost(host) && host != "localhost" {
		return ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}

// Join returns the address for torc join, with the key: through the rendezvous, at the address of
// the server, or both.
func (e *Entry) Join() string {
	var at []string
	if e.Via != "" {
		at = append(at, "via:"+e.Via)
	}
	if e.Address.IsValid() {
		at = append(at, e.Address.String())
	}
	return strings.Join(at, ",") + "#" + e.Key.String()
}

// Merge returns the servers of several lists, each key once: as that list has it that asked last
// and got an answer.
func Merge(lists ...[]Entry) []Entry {
	var all []Entry
	at := map[seal.Key]int{}
	for _, list := range lists {
		for _, e := range list {
			i, known := at[e.Key]
			switch {
			case !known:
				at[e.Key] = len(all)
				all = append(all, e)
			case !e.Old && (all[i].Old || e.Seen > all[i].Seen):
				all[i] = e
			}
		}
	}
	sortEntries(all)
	return all
}

// Table describes servers, one per line with a line for its address. Favourites come first;
// favourite can be nil.
func Table(all []Entry, favourite func(seal.Key) bool) string {
	lines := []string{fmt.Sprintf("%7s  %-19s %s", "PLAYERS", "FINGERPRINT", "NAME")}
	for _, first := range []bool{true, false} {
		for i := range all {
			if e := &all[i]; (favourite != nil && favourite(e.Key)) == first {
				lines = append(lines, e.line(first), "         "+e.Join())
			}
		}
	}
	return strings.Join(lines, "\n")
}

// line describes a server.
func (e *Entry) line(favourite bool) string {
	notes := []string{"no mission"}
	if e.Mission != "" {
		notes[0] = e.Mission
	}
	for _, n := range []struct {
		is   bool
		note string
	}{
		{favourite, "favourite"}, {e.Draining, "draining"}, {e.Password, "password"}, {e.Old, "does not answer"}, {e.Bots > 0, fmt.Sprintf("%d bots", e.Bots)},
		{e.Protocol != netcore.ProtocolVersion, fmt.Sprintf("protocol %d, not %d", e.Protocol, netcore.ProtocolVersion)},
	} {
		if n.is {
			notes = append(notes, n.note)
		}
	}
	players := fmt.Sprintf("%d/%d", e.Players, e.Max)
	return fmt.Sprintf("%7s  %-19s %s (%s)", players, e.Key.Fingerprint(), console.Clean(e.Name), strings.Join(notes, ", "))
}
