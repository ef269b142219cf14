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

// CookieEpoch is how long cookies are made from one count. A cookie is good in
// the epoch in which it was made and in the next: 30 to 60 seconds.
const CookieEpoch = 30 * time.Second

// maxSpent bounds the memory of used cookies, per epoch. Each entry cost its
// sender a whole handshake from an address it owns.
const maxSpent = 1 << 15

// Nonce is the client's part of a cookie, chosen at random for each attempt.
type Nonce [16]byte

// Cookie proves that whoever shows it receives at the address it was made for.
type Cookie [16]byte

// Cookies makes and checks cookies without remembering any: a cookie is a MAC
// of address, nonce and epoch under a secret that lives as long as the process.
// What it does remember, for two epochs, is which cookies were spent on a
// handshake that came true, because a recorded first message could otherwise
// be played again.
type Cookies struct {
	mac   hash.Hash
	sum   [sha256.Size]byte
	input []byte

	epoch        uint64
	spent, older map[Cookie]struct{} // never ranged over
}

// NewCookies draws the secret from entropy. It fails only when entropy does.
func NewCookies(entropy io.Reader) (*Cookies, error) {
	var secret [32]byte
	if _, err := io.ReadFull(entropy, secret[:]); err != nil {
		return nil, fmt.Errorf("no entropy for cookies: %w", err)
	}
	return &Cookies{
		mac:   hmac.New(sha256.New, secret[:]),
		spent: make(map[Cookie]struct{}),
		older: make(map[Cookie]struct{}),
	}, nil
}

// Make returns the cookie of an address, given as bytes of a fixed form, and a
// nonce. It allocates nothing once warm.
func (c *Cookies) Make(now time.Duration, address []byte, nonce Nonce) Cookie {
	return c.make(epochOf(now), address, nonce)
}

// Check reports whether the cookie was made for this address and nonce in this
// epoch or the one before. It says nothing of whether the cookie was spent.
func (c *Cookies) Check(now time.Duration, address []byte, nonce Nonce, cookie Cookie) bool {
	epoch := epochOf(now)
	made := c.make(epoch, address, nonce)
	if hmac.Equal(made[:], cookie[:]) {
		return true
	}
	if epoch == 0 {
		return false
	}
	made = c.make(epoch-1, address, nonce)
	return hmac.Equal(made[:], cookie[:])
}

// Spend uses a checked cookie up. It returns false when it was spent before,
// or when so many were that none can be remembered until the next epoch.
func (c *Cookies) Spend(now time.Duration, cookie Cookie) bool {
	c.turn(epochOf(now))
	if c.Spent(cookie) || len(c.spent) >= maxSpent {
		return false
	}
	c.spent[cookie] = struct{}{}
	return true
}

// Spent reports whether Spend has used this cookie up.
func (c *Cookies) Spent(cookie Cookie) bool {
	_, now := c.spent[cookie]
	_, before := c.older[cookie]
	return now || before
}

// turn forgets what is too old to be a good cookie anyway. A cookie made in
// epoch n is good until the end of n+1 and, spent there, is kept through n+2.
func (c *Cookies) turn(epoch uint64) {
	switch {
	case epoch == c.epoch:
	case epoch == c.epoch+1:
		c.older, c.spent = c.spent, c.older
		clear(c.spent)
	default:
		clear(c.older)
		clear(c.spent)
	}
	c.epoch = epoch
}

func (c *Cookies) make(epoch uint64, address []byte, nonce Nonce) (cookie Cookie) {
	c.input = binary.LittleEndian.AppendUint64(c.input[:0], epoch)
	c.input = append(c.input, nonce[:]...)
	c.input = append(c.input, address...) // last, because its length is the caller's
	c.mac.Reset()
	c.mac.Write(c.input)
	copy(cookie[:], c.mac.Sum(c.sum[:0]))
	return cookie
}

func epochOf(now time.Duration) uint64 { return uint64(max(now, 0) / CookieEpoch) }
