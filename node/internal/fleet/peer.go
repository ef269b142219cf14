package fleet

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/netcore/seal"
)

// A Peer is another server. Both servers name each other.
type Peer struct {
	Name    string   // 1 to 32 of a–z, 0–9 and -
	Address string   // HOST:PORT, which goes to players
	Key     seal.Key // of the other server
}

const (
	maxAddress = 255
	// MaxPeers is the highest number of peers of a server.
	MaxPeers = 256
)

// ParsePeer reads NAME=HOST:PORT#KEY.
func ParsePeer(text string) (p Peer, err error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return p, fmt.Errorf("%q must be NAME=HOST:PORT#KEY", text)
	}
	if !names.Server(name) {
		return p, fmt.Errorf("%q is not the name of a server: 1 to 32 of a-z, 0-9 and -", name)
	}
	o, err := ParseTarget(rest)
	if err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	return Peer{Name: name, Address: o.Address, Key: o.Key}, nil
}

// ParseTarget reads HOST:PORT#KEY.
func ParseTarget(text string) (o engine.TransferOrder, err error) {
	address, pin, pinned := strings.Cut(text, "#")
	switch {
	case !pinned:
		return o, fmt.Errorf("%q must be HOST:PORT#KEY: the server prints its key at the start", text)
	case !validAddress(address):
		return o, fmt.Errorf("%q must be HOST:PORT, for example game.example.org:28000", address)
	}
	if o.Key, err = seal.ParseKey(pin); err != nil {
		return o, err
	}
	o.Address, o.Name = address, cutTo(address, maxTitle)
	return o, nil
}

// validAddress reports whether a text is HOST:PORT for players.
func validAddress(text string) bool {
	port, ok := portOf(text)
	n, err := strconv.ParseUint(port, 10, 16)
	return ok && err == nil && n > 0 && len(text) <= maxAddress
}

// portOf returns the port of HOST:PORT. An IPv6 address stands in brackets. Package net would be 25
// KB of the page's program.
func portOf(address string) (port string, ok bool) {
	at := strings.LastIndexByte(address, ':')
	if at <= 0 {
		return "", false
	}
	host, port := address[:at], address[at+1:]
	if host[0] != '[' {
		return port, !strings.ContainsAny(host, ":[]")
	}
	_, err := netip.ParseAddr(strings.TrimSuffix(host[1:], "]"))
	return port, err == nil && host[len(host)-1] == ']'
}

// maxTitle is the longest name in an order, in bytes.
const maxTitle = 64

// check refuses peers that cannot be told apart, and this server itself.
func check(peers []Peer, own seal.Key) error {
	if len(peers) > MaxPeers {
		return fmt.Errorf("a server has at most %d peers, got %d", MaxPeers, len(peers))
	}
	byName, byKey := map[string]bool{}, map[seal.Key]string{}
	for _, p := range peers {
		switch other := byKey[p.Key]; {
		case !names.Server(p.Name):
			return fmt.Errorf("%q is not the name of a server: 1 to 32 of a-z, 0-9 and -", p.Name)
		case byName[p.Name]:
			return fmt.Errorf("two peers have the name %s", p.Name)
		case other != "":
			return fmt.Errorf("the peers %s and %s have the same key", other, p.Name)
		case p.Key == own:
			return errors.New("the peer " + p.Name + " has the key of this server")
		}
		byName[p.Name], byKey[p.Key] = true, p.Name
	}
	return nil
}
