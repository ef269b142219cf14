package dissect

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/capture"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// TestPacketOfThePage compares the packet in docs/dissect.md with the vectors: its bytes, its bits,
// and the names and values of its fields.
func TestPacketOfThePage(t *testing.T) {
	text, err := os.ReadFile("../../docs/dissect.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## A packet bit by bit\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := netcoretest.Fences(section)
	require.Len(t, blocks, 2)

	file, err := os.ReadFile("../../netcore/testdata/vectors/ghosts.capture")
	require.NoError(t, err)
	s := opened(t, file)
	for _, d := range s.datagrams {
		p := s.read(d)
		if d.packet != 39 {
			continue
		}
		assert.Equal(t, capture.Server, d.from)
		assert.Equal(t, hex.EncodeToString(d.plain), strings.Join(strings.Fields(blocks[0]), ""), "the bytes")
		bits := netcoretest.Fields(blocks[1])
		assert.Less(t, 8*len(d.plain)-len(bits), 8, "spare bits")
		assert.Equal(t, d.plain, netcoretest.Packed(bits), "the bits")
		for _, f := range p.Fields {
			assert.Contains(t, blocks[1], fmt.Sprintf(" %s %s", f.Name, strings.ReplaceAll(fmt.Sprint(f.Value), "<nil>", "none")))
		}
		return
	}
	t.Fatal("the capture has no packet 39")
}
