package scrub

import (
	"encoding/json"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/torc-engine/torc/netcore/seal"
)

// shortName is the length in bytes below which a name is replaced only as a whole word.
const shortName = 4

// fixed matches addresses, keys, fingerprints and the folders of users.
const fixed = `[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*|[a-z2-7]{52}|[a-z2-7]{4}(?:-[a-z2-7]{4}){3}|/(?:home|Users)/[^/\s]+`

// Text returns a text with all that is known replaced.
func (w *Words) Text(text string) string {
	return w.replace(text, func(part string) string { return part })
}

// replace replaces what is known. other changes the parts between.
func (w *Words) replace(text string, other func(string) string) string {
	w.compile()
	at, b := 0, strings.Builder{}
	for _, m := range w.find.FindAllStringIndex(text, -1) {
		to, ok := w.lookup(text, m[0], m[1])
		if !ok {
			continue
		}
		b.WriteString(other(text[at:m[0]]))
		b.WriteString(to)
		at = m[1]
	}
	return b.String() + other(text[at:])
}

// lookup returns what replaces a part of a text.
func (w *Words) lookup(text string, from, to int) (string, bool) {
	part := text[from:to]
	if is, known := w.known[strings.ToLower(part)]; known {
		return is, len(part) >= shortName || !joins(text, from) && !joins(text, to)
	}
	if a, err := netip.ParseAddr(part); err == nil {
		return w.IP(a).String(), true
	}
	if k, err := seal.ParseKey(part); err == nil {
		return w.Key(k).Public.String(), true
	}
	if is, known := w.prints[strings.ToLower(part)]; known {
		return is, true
	}
	if part[0] == '/' {
		return part[:strings.LastIndexByte(part, '/')] + "/user", true
	}
	return "", false
}

// joins reports whether a place is within a word.
func joins(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return at > 0 && at < len(text) && inWord(before) && inWord(after)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// compile makes the expression that finds all that is known: the longest first, as it is and as in JSON.
func (w *Words) compile() {
	if w.find != nil {
		return
	}
	for text, is := range w.known {
		if quoted := inJSON(text); quoted != text {
			w.known[quoted] = is
		}
	}
	var all []string
	for text := range w.known {
		all = append(all, regexp.QuoteMeta(text))
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	w.find = regexp.MustCompile("(?i)" + strings.Join(append(all, fixed), "|"))
}

// inJSON returns a text as a part of a text in JSON.
func inJSON(text string) string {
	b, _ := json.Marshal(text) // a text has no error
	return string(b[1 : len(b)-1])
}
