package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
)

// Known is the list of servers with known keys, in the order of first contact. It keeps the
// comments of its file.
type Known struct {
	servers []server
	below   string // the comments below the last server
}

type server struct {
	above   string // the comments above
	address string
	key     seal.Key
}

// Changed is an error: a known server has shown another key than before.
type Changed struct {
	Address     string
	Known, Seen seal.Key
}

// Error stresses the change: either the server has a new identity, or somebody intercepts the
// connection.
func (c *Changed) Error() string {
	return fmt.Sprintf("the key of %s has CHANGED from %s to %s: it was set up anew, or this is not it; if the new key is right, join with --accept-key %s",
		c.Address, c.Known.Fingerprint(), c.Seen.Fingerprint(), c.Seen)
}

// Parse reads the text of a known_servers file. It skips empty lines and lines that begin with #.
// The error names the line.
func Parse(text string) (*Known, error) {
	k := new(Known)
	number := 0
	if rest, titled := strings.CutPrefix(text, title); titled {
		text, number = rest, 1
	}
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			k.below += strings.TrimRight(line, "\r\n") + "\n"
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("line %d: a known server is an address and a key", number)
		}
		key, err := seal.ParseKey(words[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if k.find(words[0]) >= 0 {
			return nil, fmt.Errorf("line %d: %s is listed twice", number, words[0])
		}
		k.servers = append(k.servers, server{k.below, words[0], key})
		k.below = ""
	}
	return k, nil
}

// title is the first line of a file.
const title = "# torc known servers: address and key\n"

// Format returns the list as the text of a known_servers file.
func (k *Known) Format() string {
	var b strings.Builder
	for _, s := range k.servers {
		fmt.Fprintf(&b, "%s%s %s\n", s.above, s.address, s.key)
	}
	return title + b.String() + k.below
}

// Check decides on the key of a server. It adds an unknown server to the list and returns news, so
// that the caller saves the list. If the server is known with another key, the error is a *Changed.
func (k *Known) Check(address string, key seal.Key) (news bool, err error) {
	if k.find(address) < 0 {
		return true, k.Accept(address, key)
	}
	return false, k.Differs(address, key)
}

// Differs returns a *Changed if the server is known with another key.
func (k *Known) Differs(address string, key seal.Key) error {
	if at := k.find(address); at >= 0 && k.servers[at].key != key {
		return &Changed{address, k.servers[at].key, key}
	}
	return nil
}

// Accept makes key the known key of a server. It replaces an earlier key.
func (k *Known) Accept(address string, key seal.Key) error {
	if address == "" || strings.HasPrefix(address, "#") || len(strings.Fields(address)) != 1 || strings.TrimSpace(address) != address {
		return fmt.Errorf("%q is not an address", address)
	}
	if at := k.find(address); at >= 0 {
		k.servers[at].key = key
		return nil
	}
	k.servers = append(k.servers, server{address: address, key: key})
	return nil
}

func (k *Known) find(address string) int {
	return slices.IndexFunc(k.servers, func(s server) bool { return strings.EqualFold(s.address, address) })
}

// Load reads the file at path. A missing file is an empty list.
func Load(path string) (*Known, error) {
	text, err := data.Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the known servers cannot be read: %w", err)
	}
	k, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// Save writes the list to path, completely or not at all.
func (k *Known) Save(path string) error {
	if err := data.Save(path, k.Format()); err != nil {
		return fmt.Errorf("the known servers cannot be written: %w", err)
	}
	return nil
}

// Trust returns a function that decides on the keys of servers by this list, in memory. It adds a
// new server and reports it to met, which can be nil. It refuses a changed key.
func (k *Known) Trust(met func(address string, key seal.Key)) func(address string, key seal.Key) error {
	return func(address string, key seal.Key) error {
		news, err := k.Check(address, key)
		if news && err == nil && met != nil {
			met(address, key)
		}
		return err
	}
}

// Trust does the same with the list in the file at path. It reads the file each time, because
// several clients can share it.
func Trust(path string, met func(address string, key seal.Key)) func(address string, key seal.Key) error {
	return func(address string, key seal.Key) error {
		k, err := Load(path)
		if err != nil {
			return err
		}
		news, err := k.Check(address, key)
		if err != nil || !news {
			return err
		}
		if met != nil {
			met(address, key)
		}
		return k.Save(path)
	}
}
