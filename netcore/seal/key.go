package seal

import (
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Key is an X25519 public key. It identifies a program on the network. The zero
// Key means that no key is known.
type Key [32]byte

// encoding is base32 in lower case without padding. People can read it aloud. It
// has no characters with a meaning in shells or addresses.
var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// keyText is the length of a key in text form, in characters.
const keyText = 52

// String returns the key as 52 characters of lower-case base32.
func (k Key) String() string { return encoding.EncodeToString(k[:]) }

// ParseKey parses the form that String returns. It also accepts upper case.
func ParseKey(s string) (Key, error) {
	var k Key
	if len(s) != keyText {
		return k, fmt.Errorf("a key must have %d characters, got %d", keyText, len(s))
	}
	b, err := encoding.DecodeString(strings.ToLower(s))
	if err != nil {
		return k, errors.New("a key can contain only the characters a-z and 2-7")
	}
	copy(k[:], b)
	if !strings.EqualFold(k.String(), s) {
		return Key{}, errors.New("invalid key: its last character sets unused bits")
	}
	return k, nil
}

// Fingerprint returns the first 80 bits of the key in four groups of four
// characters. It is short enough for two people to compare.
func (k Key) Fingerprint() string {
	s := k.String()
	return s[0:4] + "-" + s[4:8] + "-" + s[8:12] + "-" + s[12:16]
}

// Zero reports whether k is the zero Key.
func (k Key) Zero() bool { return k == Key{} }

// KeyPair is a program's own key pair. It does not print its private key.
// MarshalText returns the private key and exists only for the key file.
type KeyPair struct {
	Public  Key
	private *ecdh.PrivateKey // nil in the zero Identity, a value without a key
	agent   Agent            // uses the private key; nil: the KeyPair does it itself
}

// NewIdentity draws an identity from entropy. It fails only if entropy fails.
func NewIdentity(entropy io.Reader) (KeyPair, error) {
	var private [32]byte
	if _, err := io.ReadFull(entropy, private[:]); err != nil {
		return KeyPair{}, fmt.Errorf("no entropy for a key: %w", err)
	}
	return identityOf(private)
}

func identityOf(private [32]byte) (KeyPair, error) {
	key, err := ecdh.X25519().NewPrivateKey(private[:])
	if err != nil {
		return KeyPair{}, fmt.Errorf("invalid private key: %w", err)
	}
	return KeyPair{Public: Key(key.PublicKey().Bytes()), private: key}, nil
}

// String returns only the public key, so an Identity in a log leaks nothing.
func (id KeyPair) String() string { return id.Public.String() }

// GoString returns the same as String, so %#v does not print the private key.
func (id KeyPair) GoString() string { return id.String() }

var errNoKey = errors.New("the identity has no private key")

const identityPrefix = "torc-identity-1 "

// MarshalText returns the line of the key file, including the private key.
func (id KeyPair) MarshalText() ([]byte, error) {
	if id.private == nil {
		return nil, errNoKey
	}
	return []byte(identityPrefix + encoding.EncodeToString(id.private.Bytes())), nil
}

// UnmarshalText parses the form that MarshalText returns. It ignores space around it.
func (id *KeyPair) UnmarshalText(text []byte) error {
	line := strings.TrimSpace(string(text))
	secret, ok := strings.CutPrefix(line, identityPrefix)
	if !ok {
		return fmt.Errorf("an identity must begin with %q", strings.TrimSpace(identityPrefix))
	}
	k, err := ParseKey(secret)
	if err != nil {
		return errors.New("the identity's private key is invalid")
	}
	read, err := identityOf(k)
	if err != nil {
		return err
	}
	*id = read
	return nil
}

// A Mark stands for a player at one server, without telling the player's key. Two servers have
// different marks of a player, so nobody can follow a player by them.
type Mark [8]byte

// MarkOf returns the mark of a player at a server: the first bytes of SHA-256 of both keys.
func MarkOf(server, player Key) (m Mark) {
	sum := sha256.Sum256(append(server[:], player[:]...))
	copy(m[:], sum[:])
	return m
}
