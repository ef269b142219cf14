package keys

import (
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
)

// maxPassed is how many keys a file of Passed keeps.
const maxPassed = 4096

// Passed is the file of the keys that gave a server's password, one per line, oldest first.
type Passed struct {
	path string
	Keys []seal.Key // those of earlier runs
}

// OpenPassed reads the file, and shortens it to the newest 4,096 keys. A missing file is empty.
// Other lines are skipped: a power failure can cut one off.
func OpenPassed(path string) (*Passed, error) {
	p := &Passed{path: path}
	err := data.Lines(path, func(line string) error {
		if k, err := seal.ParseKey(line); err == nil {
			p.Keys = append(p.Keys, k)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the keys that gave the password cannot be read: %w", err)
	}
	if extra := len(p.Keys) - maxPassed; extra > 0 {
		p.Keys = slices.Delete(p.Keys, 0, extra)
		var text strings.Builder
		for _, k := range p.Keys {
			text.WriteString(k.String() + "\n")
		}
		return p, data.Save(path, text.String())
	}
	return p, nil
}

// Add appends a key. It does not wait for the disk: after a power failure the newest keys can be
// missing.
func (p *Passed) Add(k seal.Key) error {
	return data.Append(p.path, k.String())
}
