package query

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"github.com/torc-engine/torc/netcore/seal"
)

// Info is what a server tells everybody who asks. It names no player. On a client it is not
// authentic: a client that joins still checks the key.
type Info struct {
	Version    uint32 // of the wire format
	Key        seal.Key
	Password   bool // clients must give a password
	Draining   bool // the server takes nobody in, and ends soon
	Players    int  // people in the game or joining, at most 65,535
	Bots       int
	MaxPlayers int    // people and bots
	Name       string // at most 128 bytes
	Mission    string // at most 64 bytes
	ModCount   int    // at most 255
	Mods       []Mod  // as many as the answer has room for
	// Web is the page for browsers, http or https://[HOST][:PORT][/s/NAME], at most 128 bytes.
	// Without HOST, the page has the address of the answer. "": there is none.
	Web string
}

// Mod is a mod of a server.
type Mod struct{ Name, Version string }

// Bits of the flags. A reader ignores those that it does not know.
const (
	flagPassword = 1 << iota
	flagDraining
)

const (
	maxName    = 128
	maxMission = 64
	maxWeb     = 128
)

var errInfo = errors.New("not the information of a server")

// append appends the wire form, at most maxInfo bytes. Mods that find no room are only counted. The
// first count is that of the mods that follow: readers that know nothing behind these ignore the
// rest.
func (i *Info) append(b []byte) []byte {
	first := len(b)
	b = binary.LittleEndian.AppendUint32(b, i.Version)
	b = append(b, i.Key[:]...)
	flags := byte(0)
	if i.Password {
		flags |= flagPassword
	}
	if i.Draining {
		flags |= flagDraining
	}
	b = append(b, flags)
	for _, n := range []int{i.Players, i.Bots, i.MaxPlayers} {
		b = binary.LittleEndian.AppendUint16(b, uint16(min(n, 1<<16-1)))
	}
	b = appendText(b, i.Name, maxName)
	b = appendText(b, i.Mission, maxMission)
	web := i.Web
	if len(web) > maxWeb {
		web = "" // a part of a link leads elsewhere
	}
	all, listed := min(len(i.Mods), 255), len(b)
	b = append(b, 0)
	for _, m := range i.Mods[:all] {
		if len(b)-first+2+len(m.Name)+len(m.Version)+2+len(web) > maxInfo || len(m.Name) > 255 || len(m.Version) > 255 {
			break
		}
		b = appendText(appendText(b, m.Name, 255), m.Version, 255)
		b[listed]++
	}
	return append(appendText(b, web, maxWeb), byte(all))
}

// appendText appends a text with its length. It cuts a longer text, but not within a character.
func appendText(b []byte, s string, most int) []byte {
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	return append(append(b, byte(len(s))), s...)
}

// parseInfo reads the wire form. Texts can hold anything: clean them before you show them.
func parseInfo(b []byte) (i Info, err error) {
	const fixed = 4 + len(i.Key) + 1 + 3*2
	if len(b) < fixed || len(b) > maxInfo {
		return i, errInfo
	}
	i.Version = binary.LittleEndian.Uint32(b)
	copy(i.Key[:], b[4:])
	numbers := b[4+len(i.Key):]
	i.Password, i.Draining = numbers[0]&flagPassword != 0, numbers[0]&flagDraining != 0
	for n, to := range []*int{&i.Players, &i.Bots, &i.MaxPlayers} {
		*to = int(binary.LittleEndian.Uint16(numbers[1+2*n:]))
	}
	r := reader{rest: b[fixed:]}
	i.Name, i.Mission, i.ModCount = r.text(), r.text(), r.byte()
	for len(r.rest) > 0 && !r.failed && len(i.Mods) < i.ModCount {
		i.Mods = append(i.Mods, Mod{r.text(), r.text()})
	}
	if len(r.rest) > 0 { // servers of protocol 9 and older say nothing more
		i.Web = r.text()
		i.ModCount = max(i.ModCount, r.byte())
	}
	if r.failed {
		return Info{}, errInfo
	}
	return i, nil
}

// reader reads the variable part of an answer.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) byte() int {
	if len(r.rest) == 0 {
		r.failed = true
		return 0
	}
	n := int(r.rest[0])
	r.rest = r.rest[1:]
	return n
}

func (r *reader) text() string {
	n := r.byte()
	if n > len(r.rest) {
		r.failed, r.rest = true, nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
