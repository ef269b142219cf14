package rendezvous

import (
	"encoding/binary"
	"net/netip"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// packetType is the first byte of all packets of a rendezvous. The second one says which.
const packetType = 0xE8

// The packets of a rendezvous.
const (
	packetRegister = iota
	packetChallenge
	packetRegistered
	packetLookup
	packetFound
	packetIntroduction
	packetPunch
	packetRenewal
	packetRenewed
)

const (
	headSize   = 2 + len(seal.Nonce{})
	cookieSize = len(seal.Cookie{})
	keySize    = len(seal.Key{})
	addrSize   = 16 + 2

	// requestSize is the size of Register and Lookup. No answer is larger.
	requestSize      = 256
	challengeSize    = headSize + cookieSize + keySize
	registeredSize   = headSize + seal.SecondOverhead
	introductionSize = headSize + 8 + addrSize + seal.Overhead
	punchSize        = headSize

	// maxAddrs is the most addresses of a server that a rendezvous keeps.
	maxAddrs = 5
)

// Is reports whether a datagram belongs to a rendezvous, by its first byte.
func Is(b []byte) bool { return len(b) > 0 && b[0] == packetType }

func appendHead(b []byte, packet byte, nonce seal.Nonce) []byte {
	return append(append(b, packetType, packet), nonce[:]...)
}

// parseHead returns the rest of a packet of this size after its nonce.
func parseHead(b []byte, packet byte, size int) (nonce seal.Nonce, rest []byte, ok bool) {
	if len(b) != size || b[0] != packetType || b[1] != packet {
		return nonce, nil, false
	}
	copy(nonce[:], b[2:])
	return nonce, b[headSize:], true
}

// appendRequest appends a Register or a Lookup with a body, and pads it. The zero cookie asks for a
// challenge.
func appendRequest(packet byte, nonce seal.Nonce, cookie seal.Cookie, body []byte) []byte {
	b := append(appendHead(make([]byte, 0, requestSize), packet, nonce), cookie[:]...)
	return append(b, body...)[:requestSize]
}

// parseRequest returns the body of a request, with its padding.
func parseRequest(b []byte, packet byte) (p seal.Puzzle, body []byte, ok bool) {
	nonce, rest, ok := parseHead(b, packet, requestSize)
	if !ok {
		return p, nil, false
	}
	p.Nonce = nonce
	copy(p.Cookie[:], rest)
	return p, rest[cookieSize:], true
}

// parseChallenge returns the cookie of a challenge with this nonce, and the key of the rendezvous.
func parseChallenge(b []byte, nonce seal.Nonce) (c seal.Cookie, k seal.Key, ok bool) {
	got, rest, ok := parseHead(b, packetChallenge, challengeSize)
	if !ok || got != nonce {
		return c, k, false
	}
	copy(c[:], rest)
	copy(k[:], rest[cookieSize:])
	return c, k, c != seal.Cookie{}
}

// appendAddr appends an address without its zone: the numbers of interfaces differ between
// machines.
func appendAddr(b []byte, a netcore.Addr) []byte {
	ip := a.AddrPort().Addr().As16()
	return binary.LittleEndian.AppendUint16(append(b, ip[:]...), a.Port)
}

// parseAddr reads an address, without a zone. It refuses addresses without a port.
func parseAddr(b []byte) (a netcore.Addr, ok bool) {
	port := binary.LittleEndian.Uint16(b[16:])
	a = netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[:16])), port))
	return a, port != 0
}

// isPeer reports whether an address that a rendezvous names can be that of one peer. A rendezvous
// on another machine cannot name this one.
func isPeer(a, rendezvous netcore.Addr) bool {
	ip := a.AddrPort().Addr()
	many := ip.IsMulticast() || ip.IsUnspecified() || ip == netip.AddrFrom4([4]byte{255, 255, 255, 255})
	return !many && (!ip.IsLoopback() || rendezvous.Loopback())
}

// prologue binds the key exchange of a registration to its challenge, and to nothing else.
func prologue(p seal.Puzzle) []byte {
	return append(append([]byte("torc rendezvous"), p.Nonce[:]...), p.Cookie[:]...)
}
