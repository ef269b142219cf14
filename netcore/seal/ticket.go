package seal

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

// A ticket is what one server tells another about a player whom it sends there. The player's
// program carries it. Both servers have the X25519 keys that they use in the handshake anyway, and
// share nothing else.
//
//	sealed = version 1 ‖ key of the sender 32 ‖ nonce 24 ‖ XChaCha20-Poly1305(issued ms 8 ‖ id 16 ‖ data)
//	key    = HKDF-SHA256(X25519(own, other), salt "torc ticket 1", info sender ‖ receiver)
//	associated data = version ‖ sender ‖ receiver ‖ client
//
// Only the sender and the receiver can make one. It counts for one key of a client, at one server,
// once, and for a short time.
const (
	// TicketLife is how long a ticket counts, by the clock of its sender.
	TicketLife = 30 * time.Second
	// TicketSkew is how far the clocks of two servers can differ.
	TicketSkew = 5 * time.Second
	// MaxTicketData is the longest data of a ticket in bytes.
	MaxTicketData = 2048
	// TicketSize is the length of a ticket without data in bytes, and MaxTicket that of the
	// longest.
	TicketSize = ticketHead + ticketFacts + Overhead
	MaxTicket  = TicketSize + MaxTicketData

	ticketVersion = 1
	ticketSalt    = "torc ticket 1"
	ticketHead    = 1 + len(Key{}) + chacha20poly1305.NonceSizeX
	ticketFacts   = 8 + len(TicketID{})
	maxUsed       = 1 << 12 // ids of used tickets of one sender
)

// TicketID is the random number of a ticket.
type TicketID [16]byte

// Why a ticket does not count.
var (
	ErrTicketForged  = errors.New("the ticket is damaged, or it is for another player or another server")
	ErrTicketUnknown = errors.New("the ticket is from a server that this one does not know")
	ErrTicketLate    = errors.New("the ticket has expired")
	ErrTicketEarly   = errors.New("the ticket is from the future")
	ErrTicketOld     = errors.New("the ticket is older than this run of the server")
	ErrTicketUsed    = errors.New("the ticket was used before")
	ErrTicketBusy    = errors.New("the server has taken too many tickets of that server in the last minute: try again later")
)

// SealTicket makes a ticket for the player with the key client, for the server with the key
// receiver. now is the time of day, and entropy draws its nonce and its id.
func (id KeyPair) SealTicket(entropy io.Reader, receiver, client Key, now time.Time, data []byte) ([]byte, error) {
	if len(data) > MaxTicketData {
		return nil, fmt.Errorf("a ticket carries at most %d bytes of data, got %d", MaxTicketData, len(data))
	}
	aead, err := id.ticketKey(receiver, id.Public, receiver)
	if err != nil {
		return nil, err
	}
	var drawn [chacha20poly1305.NonceSizeX + len(TicketID{})]byte
	if _, err := io.ReadFull(entropy, drawn[:]); err != nil {
		return nil, fmt.Errorf("no entropy for a ticket: %w", err)
	}
	nonce, number := drawn[:chacha20poly1305.NonceSizeX], drawn[chacha20poly1305.NonceSizeX:]
	head := append([]byte{ticketVersion}, id.Public[:]...)
	plain := binary.LittleEndian.AppendUint64(nil, uint64(now.UnixMilli()))
	plain = append(append(plain, number...), data...)
	return aead.Seal(append(head, nonce...), nonce, plain, ticketLabel(id.Public, receiver, client)), nil
}

// ticketKey returns the cipher of the tickets from sender to receiver. other is the one of them
// whose private key this is not.
func (id *KeyPair) ticketKey(other, sender, receiver Key) (cipher.AEAD, error) {
	secret, err := id.exchange(other[:])
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, []byte(ticketSalt), string(sender[:])+string(receiver[:]), chacha20poly1305.KeySize)
	if err != nil {
		return nil, err
	}
	return chacha20poly1305.NewX(key)
}

// ticketLabel returns what a ticket proves besides its text.
func ticketLabel(sender, receiver, client Key) []byte {
	b := append([]byte{ticketVersion}, sender[:]...)
	return append(append(b, receiver[:]...), client[:]...)
}

// A TicketText is what a ticket says.
type TicketText struct {
	Sender Key
	Issued time.Time // by the clock of the sender, in milliseconds
	ID     TicketID
	Data   []byte
}

// TicketSender returns the key that a ticket names as its sender. Nothing is proven yet.
func TicketSender(ticket []byte) (sender Key, ok bool) {
	if len(ticket) < TicketSize || len(ticket) > MaxTicket || ticket[0] != ticketVersion {
		return Key{}, false
	}
	return Key(ticket[1 : 1+len(sender)]), true
}

// OpenTicket opens a ticket for this server that the player with the key client presents. A
// TicketTable says whether it counts now.
func (id KeyPair) OpenTicket(ticket []byte, client Key) (TicketText, error) {
	sender, ok := TicketSender(ticket)
	if !ok {
		return TicketText{}, ErrTicketForged
	}
	aead, err := id.ticketKey(sender, sender, id.Public)
	if err != nil {
		return TicketText{}, ErrTicketForged // a sender of low order shares no secret
	}
	plain, err := aead.Open(nil, ticket[1+len(sender):ticketHead], ticket[ticketHead:], ticketLabel(sender, id.Public, client))
	if err != nil {
		return TicketText{}, ErrTicketForged
	}
	issued := time.UnixMilli(int64(binary.LittleEndian.Uint64(plain)))
	return TicketText{Sender: sender, Issued: issued, ID: TicketID(plain[8:ticketFacts]), Data: plain[ticketFacts:]}, nil
}

// A TicketTable remembers the tickets that were used. It needs no file: a ticket from before its
// beginning does not count. Each sender has a part of its own, so no sender takes the room of
// others, and one without tickets that count has none. The caller opens tickets of known senders
// only.
type TicketTable struct {
	began   time.Time
	senders map[Key]*usedTickets
}

// usedTickets are those of one sender.
type usedTickets struct {
	ids   map[TicketID]struct{} // never iterated
	order []usedTicket          // the oldest first
}

type usedTicket struct {
	id TicketID
	at time.Time
}

// NewTicketTable returns the table of a server that has started at a time.
func NewTicketTable(began time.Time) *TicketTable {
	return &TicketTable{began: began, senders: map[Key]*usedTickets{}}
}

// Use returns nil once for a ticket that counts now, and otherwise why it does not.
func (t *TicketTable) Use(text TicketText, now time.Time) error {
	switch {
	case now.Sub(text.Issued) > TicketLife+TicketSkew:
		return ErrTicketLate
	case text.Issued.Sub(now) > TicketSkew:
		return ErrTicketEarly
	case text.Issued.Before(t.began):
		return ErrTicketOld
	}
	u := t.senders[text.Sender]
	if u == nil {
		t.expire(now)
		u = &usedTickets{ids: map[TicketID]struct{}{}}
		t.senders[text.Sender] = u
	}
	return u.use(text.ID, now)
}

// expire forgets the senders whose tickets do not count any more: each server of a fleet can have a
// new key when it starts again.
func (t *TicketTable) expire(now time.Time) {
	for sender, u := range t.senders { // any order: each for itself
		if u.expire(now); len(u.order) == 0 {
			delete(t.senders, sender)
		}
	}
}

// expire forgets the tickets that do not count any more.
func (u *usedTickets) expire(now time.Time) {
	for len(u.order) > 0 && now.Sub(u.order[0].at) > TicketLife+2*TicketSkew {
		delete(u.ids, u.order[0].id)
		u.order = u.order[1:]
	}
}

func (u *usedTickets) use(id TicketID, now time.Time) error {
	u.expire(now)
	if _, used := u.ids[id]; used {
		return ErrTicketUsed
	}
	if len(u.order) >= maxUsed {
		return ErrTicketBusy
	}
	u.ids[id] = struct{}{}
	u.order = append(u.order, usedTicket{id, now})
	return nil
}
