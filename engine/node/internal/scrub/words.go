package scrub

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// Words replaces what identifies people. The same text is always replaced by the same one.
type Words struct {
	Names, Addresses, Keys, Passwords, Texts int // replaced so far; those of Texts are counted each time

	known    map[string]string // names and passwords, by their lower case
	names    map[string]bool   // of known
	ranges   map[netip.Prefix]int
	hosts    map[netip.Addr]netip.Addr
	keys     map[seal.Key]seal.KeyPair
	prints   map[string]string // fingerprints of keys
	literals map[string]bool   // the texts in the source of mods
	idents   map[string]bool   // the words in the source of mods, and the console's names
	find     *regexp.Regexp    // what is known; nil after a change
}

// NewWords returns Words that know nobody.
func NewWords() *Words {
	return &Words{
		known: map[string]string{}, names: map[string]bool{}, ranges: map[netip.Prefix]int{}, hosts: map[netip.Addr]netip.Addr{},
		keys: map[seal.Key]seal.KeyPair{}, prints: map[string]string{}, literals: map[string]bool{}, idents: map[string]bool{},
	}
}

// Name returns what a player is called now.
func (w *Words) Name(name string) string { return w.learn(name, "Player%03d", &w.Names) }

// Password returns the password in place of another.
func (w *Words) Password(p string) string { return w.learn(p, "password%d", &w.Passwords) }

// User returns the name of somebody who gives lines to the console.
func (w *Words) User(name string) string {
	if name == "server" {
		return name // the prompt
	}
	return w.learn(name, "user%d", &w.Names)
}

func (w *Words) learn(text, form string, count *int) string {
	key := strings.ToLower(text)
	if text == "" {
		return ""
	}
	if w.known[key] == "" {
		*count++
		w.known[key], w.find = fmt.Sprintf(form, *count), nil
	}
	return w.known[key]
}

// Key returns the key pair in place of a public key.
func (w *Words) Key(k seal.Key) seal.KeyPair {
	pair, known := w.keys[k]
	if !known {
		var err error
		if pair, err = seal.NewIdentity(rand.Reader); err != nil {
			panic("BUG: " + err.Error()) // rand.Reader does not fail
		}
		w.Keys++
		w.keys[k], w.prints[k.Fingerprint()] = pair, pair.Public.Fingerprint()
	}
	return pair
}

// Addr returns the address in place of another. Its port stays, and so do the addresses inside a machine.
func (w *Words) Addr(a netcore.Addr) netcore.Addr {
	if a.Kind == netcore.AddrUDP || a.Kind == netcore.AddrWeb {
		a.IP, a.Own = w.IP(netip.AddrFrom16(a.IP)).As16(), w.IP(netip.AddrFrom16(a.Own)).As16()
	}
	return a
}

// IP returns the IP address in place of another: one of 198.18.0.0/15, then of 240.0.0.0/4, or one of 2001:db8::/32. Addresses of one
// /24, or of one /48 and /64, stay together. Loopback addresses stay.
func (w *Words) IP(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.IsValid() || a.IsLoopback() || a.IsUnspecified() {
		return a
	}
	to, known := w.hosts[a]
	if known {
		return to
	}
	w.Addresses++
	if from := a.AsSlice(); a.Is4() {
		to = w.ip4(a, from)
	} else {
		to = w.ip6(a, from)
	}
	w.hosts[a] = to
	return to
}

// ip4 numbers the /24 of an address, and the address in it. A network address stays one.
func (w *Words) ip4(a netip.Addr, from []byte) netip.Addr {
	net := w.number(a, 24, 0)
	host := 0
	if from[3] != 0 {
		host = 1 + w.number(a, 32, 24)
	}
	if net < 512 {
		return netip.AddrFrom4([4]byte{198, byte(18 + net>>8), byte(net), byte(host)})
	}
	return netip.AddrFrom4([4]byte{byte(240 | net>>16), byte(net >> 8), byte(net), byte(host)})
}

// ip6 numbers the /48 of an address, the /64 in it, and the address in that.
func (w *Words) ip6(a netip.Addr, from []byte) netip.Addr {
	to := [16]byte{0x20, 0x01, 0x0d, 0xb8}
	site := w.number(a, 48, 0)
	to[4], to[5] = byte(site>>8), byte(site)
	if slices.ContainsFunc(from[6:], func(b byte) bool { return b != 0 }) {
		net := w.number(a, 64, 48)
		to[6], to[7] = byte(net>>8), byte(net)
	}
	if slices.ContainsFunc(from[8:], func(b byte) bool { return b != 0 }) {
		host := 1 + w.number(a, 128, 64)
		to[14], to[15] = byte(host>>8), byte(host)
	}
	return netip.AddrFrom16(to)
}

// number returns the number of the range of an address with this length, among those within an outer range, in the order in
// which they appear.
func (w *Words) number(a netip.Addr, bits, outer int) int {
	r, within := netip.PrefixFrom(a, bits).Masked(), netip.PrefixFrom(a, outer).Masked()
	if n, known := w.ranges[r]; known {
		return n
	}
	n := 0
	for other := range w.ranges { // a journal has few addresses
		if other.Bits() == bits && within.Contains(other.Addr()) {
			n++
		}
	}
	w.ranges[r] = n
	return n
}

// Learn notes the source of a mod: its texts mean something to it.
func (w *Words) Learn(source string) {
	source = comment.ReplaceAllString(source, "")
	for _, m := range literal.FindAllString(source, -1) {
		w.literals[strings.ToLower(m[1:len(m)-1])] = true
	}
	w.LearnNames(ident.FindAllString(source, -1))
}

// LearnNames notes names of commands and variables.
func (w *Words) LearnNames(names []string) {
	for _, n := range names {
		w.idents[strings.ToLower(n)] = true
	}
}

var (
	comment = regexp.MustCompile(`(?m)--.*$`)
	literal = regexp.MustCompile(`"[^"\\\n]*"|'[^'\\\n]*'`)
	ident   = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	word    = regexp.MustCompile(`\S+`)
	number  = regexp.MustCompile(`^[-+]?[0-9]{1,4}([.][0-9]{1,3})?%?$`)
)

// chats are the commands whose text is never a word of a mod.
var chats = map[string]bool{"messagesent": true, "teammessagesent": true}

// Command returns the name of a command of a client. One that no mod has is made unreadable.
func (w *Words) Command(name string) string {
	if w.idents[strings.ToLower(name)] {
		return name
	}
	return w.Free(name)
}

// Argument returns an argument of a command of a client. What a mod has in its source stays, except in the chat. "" is the
// command for the arguments of a join.
func (w *Words) Argument(command, text string) string {
	chat := chats[strings.ToLower(command)]
	switch {
	case text == "" || !chat && (w.literals[strings.ToLower(text)] || number.MatchString(text)):
		return text
	case chat && strings.HasPrefix(text, "/"):
		return w.chatCommand(text)
	}
	return w.Free(text)
}

// chatCommand returns a command of the chat: its name stays if it exists.
func (w *Words) chatCommand(text string) string {
	head, rest, _ := strings.Cut(text[1:], " ")
	if !w.idents[strings.ToLower(head)] {
		return w.Free(text)
	}
	if rest == "" {
		return text
	}
	return "/" + head + " " + w.words(rest, w.literals)
}

// Reason returns the reason that somebody gave for an end.
func (w *Words) Reason(text string) string {
	if text == "quit" {
		return text
	}
	return w.words(text, nil)
}

// told are the console commands that pass on a text, and reasoned those with a reason behind other words.
var (
	told     = []string{"say", "echo"}
	reasoned = []string{"kick", "ban", "mute", "allow", "quit", "restart", "disconnect"}
)

// Line returns a line of the console.
func (w *Words) Line(line string) string {
	line = strings.TrimLeft(line, " \t")
	head, rest, more := strings.Cut(line, " ")
	switch {
	case more && slices.Contains(told, head):
		return head + " " + w.Free(rest)
	case more && slices.Contains(reasoned, head):
		return head + " " + w.words(rest, nil)
	case more && w.idents[strings.ToLower(head)] && !strings.HasPrefix(rest, "="):
		return head + " " + w.Code(rest)
	}
	return w.Code(line)
}

// Code returns Lua, or the words behind a console command: its texts in quotes are made unreadable, unless a mod has them.
func (w *Words) Code(code string) string {
	at, b := 0, strings.Builder{}
	for _, m := range literal.FindAllStringIndex(code, -1) {
		b.WriteString(w.Text(code[at : m[0]+1]))
		if text := code[m[0]+1 : m[1]-1]; w.literals[strings.ToLower(text)] {
			b.WriteString(text)
		} else {
			b.WriteString(w.words(text, nil))
		}
		at = m[1] - 1
	}
	return b.String() + w.Text(code[at:])
}

// Free returns what somebody has written: all letters and digits are gone.
func (w *Words) Free(text string) string {
	return w.count(text, strings.Map(blank, text))
}

// words is Free, but names, addresses and keys are replaced, and numbers, durations and the words to keep stay.
func (w *Words) words(text string, keep map[string]bool) string {
	return w.count(text, w.replace(text, func(part string) string {
		return word.ReplaceAllStringFunc(part, func(s string) string {
			_, err := time.ParseDuration(s)
			if days := strings.TrimSuffix(s, "d"); err == nil || number.MatchString(days) || s == "forever" || keep[strings.ToLower(s)] {
				return s
			}
			return strings.Map(blank, s)
		})
	}))
}

func (w *Words) count(before, after string) string {
	if before != after {
		w.Texts++
	}
	return after
}

func blank(r rune) rune {
	switch {
	case unicode.IsSpace(r) || r < unicode.MaxASCII && unicode.IsPunct(r):
		return r
	case unicode.IsDigit(r):
		return '0'
	}
	return 'x'
}
