package netpage

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/netip"
	"sync"
	"time"
)

// The limits of wrong keys.
const (
	keyBytes     = 16          // of a key
	maxWrong     = 5           // wrong keys of an address; then it must wait
	wrongTime    = time.Minute // for so long, since the last wrong key
	maxAddresses = 1024        // with wrong keys; a new one replaces the oldest
)

var (
	errNoKey    = errors.New("this page needs the key of its link: the console command net.link prints it")
	errWrongKey = errors.New("the key is wrong: the console command net.link prints the present link")
	errTooMany  = errors.New("too many wrong keys from your address: wait a minute")
)

// Access holds the key of the page, and the addresses that have sent wrong ones. Any goroutine can
// use it.
type Access struct {
	mu    sync.Mutex
	key   string
	hash  [sha256.Size]byte
	wrong map[netip.Prefix]*wrongKeys
}

// wrongKeys are those of an address.
type wrongKeys struct {
	count int
	last  time.Duration
}

// NewKey returns a random key.
func NewKey() string {
	var b [keyBytes]byte
	_, _ = rand.Read(b[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// ValidKey reports whether a text has the form of a key.
func ValidKey(text string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(b) == keyBytes && len(text) == base64.RawURLEncoding.EncodedLen(keyBytes) // not with a line end
}

// SetKey replaces the key.
func (a *Access) SetKey(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.key, a.hash = key, sha256.Sum256([]byte(key))
}

// Key returns the key.
func (a *Access) Key() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.key
}

// check returns nil if a key from an address is right. The comparison takes the same time for all
// keys.
func (a *Access) check(from netip.Addr, key string, now time.Duration) error {
	if key == "" {
		return errNoKey
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at := network(from)
	w := a.wrong[at]
	if w != nil && now-w.last >= wrongTime {
		delete(a.wrong, at)
		w = nil
	}
	if w != nil && w.count >= maxWrong {
		return errTooMany
	}
	hash := sha256.Sum256([]byte(key))
	if subtle.ConstantTimeCompare(hash[:], a.hash[:]) == 1 {
		return nil
	}
	if w == nil {
		w = a.add(at)
	}
	w.count, w.last = w.count+1, now
	return errWrongKey
}

// add begins to count the wrong keys of an address.
func (a *Access) add(at netip.Prefix) *wrongKeys {
	if a.wrong == nil {
		a.wrong = map[netip.Prefix]*wrongKeys{}
	}
	if len(a.wrong) >= maxAddresses {
		var oldest netip.Prefix
		for other, w := range a.wrong {
			if o := a.wrong[oldest]; o == nil || w.last < o.last {
				oldest = other
			}
		}
		delete(a.wrong, oldest)
	}
	w := new(wrongKeys)
	a.wrong[at] = w
	return w
}

// network returns the addresses that count as one: an IPv4 address, or an IPv6 /64.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap()
	bits := 64
	if a.Is4() {
		bits = 32
	}
	p, _ := a.WithZone("").Prefix(bits) // an invalid address gives the zero value
	return p
}
