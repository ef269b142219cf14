package game_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// TestProtocolPageClassList checks that PROTOCOL.md contains the class list, in its own notation, and
// its hash.
func TestProtocolPageClassList(t *testing.T) {
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

	page, err := os.ReadFile("../netcore/PROTOCOL.md")
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(page), "```\n"+list+"```\n"), "the list is\n%s", list)
	assert.True(t, strings.Contains(string(page), fmt.Sprintf("`%016x`", cs.Hash())), "the hash is %016x", cs.Hash())
}
