package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"time"
)

// CookieEpoch is the length of a cookie epoch. A cookie is valid in the epoch in
// which it was made and in the next: for 30 to 60 seconds.
const CookieEpoch = 30 * time.Second

// maxSpent is the maximum number of spent cookies to remember per epoch. Each
// entry costs its sender a whole handshake from an address that it owns.
const maxSpent = 1 << 15

// Nonce is the client's part of a cookie, drawn at random for each attempt.
type Nonce [16]byte

// Cookie proves that its sender receives packets at the address it was made for.
// It also fixes the difficulty of the puzzle that its sender must solve.
type Cookie [16]byte

// Cookies makes and checks cookies without storing them. A cookie is a MAC of
// address, nonce, difficulty and epoch, under a secret that lives as long as the
// process.
// Only cookies that were spent on a successful handshake are stored, for two
// epochs. Otherwise an attacker could replay a recorded first message.
type Cookies struct {
	mac   hash.Hash
	sum   [sha256.Size]byte
	input []byte

	epoch           uint64
	spent, previous map[Cookie]struct{} // never iterated
}

// NewCookies draws the secret from entropy. It fails only if entropy fails.
func NewCookies(entropy io.Reader) (*Cookies, error) {
	var secret [32]byte
	if _, err := io.ReadFull(entropy, secret[:]); err != nil {
		return nil, fmt.Errorf("no entropy for cookies: %w", err)
	}
	return &Cookies{
		mac:      hmac.New(sha256.New, secret[:]),
		spent:    make(map[Cookie]struct{}),
		previous: make(map[Cookie]struct{}),
	}, nil
}

// Make returns the cookie for an address, a nonce and a difficulty of 0 to 255. The
// address is given as bytes of a fixed form. After the first calls Make does not
// allocate.
func (c *Cookies) Make(now time.Duration, address []byte, nonce Nonce, difficulty byte) Cookie {
	return c.make(epochOf(now), address, nonce, difficulty)
}

// Check reports whether the cookie of p was made for this address in this epoch or
// the one before. It does not check whether the cookie was spent, nor a solution.
func (c *Cookies) Check(now time.Duration, address []byte, p Puzzle) bool {
	epoch := epochOf(now)
	made, cookie := c.make(epoch, address, p.Nonce, p.Difficulty), p.Cookie
	if hmac.Equal(made[:], cookie[:]) {
		return true
	}
	if epoch == 0 {
		return false
	}
	made = c.make(epoch-1, address, p.Nonce, p.Difficulty)
	return hmac.Equal(made[:], cookie[:])
}

// Spend marks a checked cookie as spent. It returns false if the cookie was
// spent before, or if maxSpent cookies were spent in this epoch.
func (c *Cookies) Spend(now time.Duration, cookie Cookie) bool {
	c.rotate(epochOf(now))
	if c.Spent(cookie) || len(c.spent) >= maxSpent {
		return false
	}
	c.spent[cookie] = struct{}{}
	return true
}

// Spent reports whether Spend has marked this cookie.
func (c *Cookies) Spent(cookie Cookie) bool {
	_, now := c.spent[cookie]
	_, before := c.previous[cookie]
	return now || before
}

// rotate deletes spent cookies that are no longer valid. A cookie made in epoch n
// is valid until the end of n+1. If it is spent in n+1, it is stored through n+2.
func (c *Cookies) rotate(epoch uint64) {
	switch {
	case epoch == c.epoch:
	case epoch == c.epoch+1:
		c.previous, c.spent = c.spent, c.previous
		clear(c.spent)
	default:
		clear(c.previous)
		clear(c.spent)
	}
	c.epoch = epoch
}

func (c *Cookies) make(epoch uint64, address []byte, nonce Nonce, difficulty byte) (cookie Cookie) {
	c.input = binary.LittleEndian.AppendUint64(c.input[:0], epoch)
	c.input = append(c.input, nonce[:]...)
	c.input = append(c.input, difficulty)
	c.input = append(c.input, address...) // last, because the caller chooses its length
	c.mac.Reset()
	c.mac.Write(c.input)
	copy(cookie[:], c.mac.Sum(c.sum[:0]))
	return cookie
}

func epochOf(now time.Duration) uint64 { return uint64(max(now, 0) / CookieEpoch) }
