package game_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/internal/testenv"
)

// TestClassList checks that classes.txt is the class list, in the notation of PROTOCOL.md, and that
// the hash of its bytes is the one that the handshake compares. With -update it writes the file.
func TestClassList(t *testing.T) {
	cs := sim.NewClasses()
	require.NoError(t, game.Register(cs))
	list := ""
	for id := 0; cs.ByWire(id) != nil; id++ {
		c := cs.ByWire(id)
		list += fmt.Sprintf("%q %q %d %t\n", c.Name, c.Parent, c.Kind, c.Abstract)
		for _, f := range c.AllFields() {
			list += fmt.Sprintf("%q %d %d %g %g %t %d %g %d %q ",
				f.Name, f.Group, f.Kind, f.Lo, f.Hi, f.Whole, f.Bits, f.Step, f.Max, f.Class)
			if f.Rate != "" {
				list += fmt.Sprintf("rate %q ", f.Rate)
			}
			if f.Jumps {
				list += "jumps "
			}
			list += c.Default(f).Literal() + "\n"
		}
	}
	hash := fnv.New64a()
	hash.Write([]byte(list))
	require.Equal(t, cs.Hash(), hash.Sum64(), "the notation")

	if testenv.Update() {
		require.NoError(t, os.WriteFile("classes.txt", []byte(list), 0o644))
	}
	file, err := os.ReadFile("classes.txt")
	require.NoError(t, err)
	assert.Equal(t, list, string(file), "go test ./game -run ClassList -update writes it")
}
