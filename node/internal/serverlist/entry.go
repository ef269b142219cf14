package serverlist

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"slices"
	"unicode/utf8"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/seal"
)

const (
	maxEntry   = 300 // bytes of a server in the file
	maxName    = 64  // characters
	maxMission = 32
	maxMods    = 16
	// countedPlayers is the number of players above which the order is that of time: whoever
	// invents more gains nothing.
	countedPlayers = 64
)

// An Entry is a server in a list.
type Entry struct {
	Key     seal.Key
	Address netip.AddrPort // from which it has registered; the zero value is unknown
	// Via is HOST:PORT of its rendezvous. Without HOST that is the host of the list.
	Via      string
	Name     string // harmless text of at most 64 characters
	Mission  string
	Players  int // people
	Bots     int
	Max      int
	Password bool
	Mods     []string // names
	Protocol uint32
	Web      string // the page for browsers, a URL without a / at its end; "" is none
	Draining bool   // it takes nobody in, and ends soon
	Seen     int64  // when it has answered, in seconds of Unix
	Old      bool   // it has not answered since
}

// file is the form of an Entry in JSON.
type file struct {
	Key      string   `json:"key"`
	Address  string   `json:"address,omitempty"`
	Via      string   `json:"via,omitempty"`
	Name     string   `json:"name"`
	Mission  string   `json:"mission,omitempty"`
	Players  int      `json:"players"`
	Bots     int      `json:"bots,omitempty"`
	Max      int      `json:"max"`
	Password bool     `json:"password,omitempty"`
	Mods     []string `json:"mods,omitempty"`
	Protocol uint32   `json:"protocol"`
	Web      string   `json:"web,omitempty"`
	Draining bool     `json:"draining,omitempty"`
	Seen     int64    `json:"seen"`
	Old      bool     `json:"old,omitempty"`
}

// appendJSON appends the entry, at most maxEntry bytes if Via has a valid host. It leaves out the
// last mods, then the mission, the end of the name, the page, and at last the address, if clients
// can come by Via.
func (e *Entry) appendJSON(b []byte) []byte {
	f := file{
		Key: e.Key.String(), Via: e.Via, Name: e.Name, Mission: e.Mission, Players: e.Players, Bots: e.Bots, Max: e.Max,
		Password: e.Password, Mods: e.Mods, Protocol: e.Protocol, Web: e.Web, Draining: e.Draining, Seen: e.Seen, Old: e.Old,
	}
	if e.Address.IsValid() {
		f.Address = e.Address.String()
	}
	for {
		text, _ := json.Marshal(f) // texts and numbers never fail
		over := len(text) - maxEntry
		switch {
		case over <= 0:
			return append(b, text...)
		case len(f.Mods) > 0:
			for ; over > 0 && len(f.Mods) > 0; f.Mods = f.Mods[:len(f.Mods)-1] {
				over -= sizeOf(f.Mods[len(f.Mods)-1]) + len(`"",`)
			}
		case f.Mission != "":
			f.Mission = ""
		case f.Name != "":
			for over > 0 && f.Name != "" {
				_, last := utf8.DecodeLastRuneInString(f.Name)
				kept := len(f.Name) - last
				over -= sizeOf(f.Name[kept:])
				f.Name = f.Name[:kept]
			}
		case f.Web != "":
			f.Web = ""
		case f.Via != "" && f.Address != "":
			f.Address = ""
		default:
			return append(b, text...)
		}
	}
}

// sizeOf returns the bytes of a text in JSON, without quotation marks.
func sizeOf(text string) int {
	b, _ := json.Marshal(text) // texts never fail
	return len(b) - len(`""`)
}

// JSON returns the content of servers.json.
func JSON(all []Entry) []byte {
	b := append(make([]byte, 0, 2+maxEntry*len(all)), '[')
	for i := range all {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = all[i].appendJSON(b)
	}
	return append(b, "]\n"...)
}

// answered puts the answer of a server into its entry.
func (e *Entry) answered(i *query.Info) {
	e.Name, e.Mission = harmless(i.Name, maxName), harmless(i.Mission, maxMission)
	e.Players, e.Bots, e.Max = i.Players, i.Bots, i.MaxPlayers
	e.Password, e.Protocol = i.Password, i.Version
	e.Draining = i.Draining
	e.Mods = nil
	for _, m := range i.Mods[:min(len(i.Mods), maxMods)] {
		e.Mods = append(e.Mods, harmless(m.Name, maxMission))
	}
}

// harmless makes one line of a text of a stranger, of at most most characters.
func harmless(text string, most int) string {
	text = console.Clean(text)
	for at := range text {
		if most == 0 {
			return text[:at]
		}
		most--
	}
	return text
}

// counted are the players that count for the order.
func (e *Entry) counted() int { return min(e.Players, countedPlayers) }

// sortEntries sorts servers by their players. Among equals, the order stays.
func sortEntries(all []Entry) {
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(b.counted(), a.counted()) })
}
