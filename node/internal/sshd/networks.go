package sshd

import (
	"cmp"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/node/internal/data"
)

const (
	knownTime   = 30 * 24 * time.Hour // since a key from a network was accepted
	renewTime   = 24 * time.Hour      // between two notes of a network in the file
	maxNetworks = 256                 // that are known; a new one replaces the oldest
)

// networks are those from which a key was accepted. A file keeps them, so that they get in first
// also after a restart: one line each, the network and when a key was last accepted.
type networks struct {
	path string // "": there is no file

	mu   sync.Mutex
	seen map[netip.Prefix]time.Time
}

var errNetworkLine = errors.New("must be a network and a date, with a space between them")

// openNetworks reads a file of networks. A missing file has none. After an error the networks are
// usable, and begin anew.
func openNetworks(path string) (*networks, error) {
	n := &networks{path: path, seen: map[netip.Prefix]time.Time{}}
	if path == "" {
		return n, nil
	}
	err := data.Lines(path, func(line string) error {
		of, date, _ := strings.Cut(line, " ")
		network, err := netip.ParsePrefix(of)
		at, wrong := time.Parse(time.RFC3339, date)
		if err != nil || wrong != nil {
			return errNetworkLine
		}
		n.seen[network] = at
		return nil
	})
	if err != nil {
		clear(n.seen)
	}
	for len(n.seen) > maxNetworks {
		n.forget()
	}
	return n, err
}

// has reports whether a key from a network was accepted lately.
func (n *networks) has(of netip.Prefix, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	at, known := n.seen[of]
	return known && now.Sub(at) < knownTime
}

// accepted notes that a key from a network was accepted. It writes the file, at most once a day for
// each network.
func (n *networks) accepted(of netip.Prefix, now time.Time) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	at, known := n.seen[of]
	if known && now.Sub(at) < renewTime {
		return nil
	}
	if !known && len(n.seen) == maxNetworks {
		n.forget()
	}
	n.seen[of] = now
	if n.path == "" {
		return nil
	}
	var text strings.Builder
	for _, network := range n.oldestFirst() {
		text.WriteString(network.String() + " " + n.seen[network].UTC().Format(time.RFC3339) + "\n")
	}
	return data.Save(n.path, text.String())
}

// forget forgets the network whose key was accepted first.
func (n *networks) forget() { delete(n.seen, n.oldestFirst()[0]) }

func (n *networks) oldestFirst() []netip.Prefix {
	return slices.SortedFunc(maps.Keys(n.seen), func(a, b netip.Prefix) int {
		return cmp.Or(n.seen[a].Compare(n.seen[b]), a.Addr().Compare(b.Addr()))
	})
}
