package ghost

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// paperReplay replays the examples of the Tribes paper and checks every bit. The peer already has
// two objects with the states 1, 2 and 3. Each row is a packet of the transcript. Read it from the
// lowest bit of the first byte:
//
//	1 0 1 back(8) since(gamma) age(3)   active, no reset, based
//	1 1                                   no kills, no creates
//	n+1(gamma) k(4) 1 { gap mask(3) relative(1, if it can be) groups }   the 1: no mask is usual
type paperReplay struct {
	*ghostRig
	one, two uint32
	packets  int
}

// box is a class with three groups of 8 bits. None of them is smooth.
var box = NewLayout(5, "Box", []CellGroup{
	{},
	{Cells: []Cell{{Field: "position", Bits: 8}}},
	{Cells: []Cell{{Field: "heading", Bits: 8}}},
	{Cells: []Cell{{Field: "paint", Bits: 8}}},
})

func newPaperReplay(t *testing.T) *paperReplay {
	p := &paperReplay{ghostRig: newGhostRig(t, Config{}, box)}
	p.one, p.two = p.object(box), p.object(box)
	p.from.Scope(p.one)
	p.from.Scope(p.two)
	p.packet("090000004083020000001400000010", "create 0 1111", "create 1 1111")
	p.ack(false)
	return p
}

// packet packs a section, requires exactly these bytes and bodies, and starts the next tick.
func (p *paperReplay) packet(section string, bodies ...string) {
	p.t.Helper()
	s := p.pack()
	assert.Equal(p.t, section, hex.EncodeToString(p.section))
	name := fmt.Sprintf("%s/%d", p.t.Name(), p.packets)
	netcoretest.Vectors(p.t, "ghosts", netcore.ProtocolVersion).Bytes(name, p.section)
	p.packets++
	assert.Equal(p.t, bodies, bodiesOf(s))
	p.begin()
}

// requireIdle requires that there is nothing to send.
func (p *paperReplay) requireIdle() {
	p.t.Helper()
	p.packet("00")
	require.Equal(p.t, 1, p.bits)
}

func TestPaperLossCases(t *testing.T) {
	const position = 1
	t.Run("first: delivered, unchanged since", func(t *testing.T) {
		p := newPaperReplay(t)
		p.set(p.one, position, 0xa5)
		p.packet("0d10169452", "update 0 10")
		p.ack(false)
		p.requireIdle()
		p.requireEqual()
	})
	t.Run("second: lost, unchanged since", func(t *testing.T) {
		p := newPaperReplay(t)
		p.set(p.one, position, 0xa5)
		p.packet("0d10169452", "update 0 10")
		p.requireIdle()
		p.ack(true)
		p.packet("152058504a01", "update 0 10")
		p.ack(false)
		p.requireIdle()
		p.requireEqual()
	})
	t.Run("third: lost, changed and sent again since", func(t *testing.T) {
		p := newPaperReplay(t)
		p.set(p.one, position, 0xa5)
		p.packet("0d10169452", "update 0 10")
		p.set(p.one, position, 0x5a)
		p.packet("153016142d", "update 0 10")
		p.ack(true)
		p.requireIdle()
		p.ack(false)
		p.requireIdle()
		p.requireEqual()
	})
	t.Run("fourth: lost, changed since, and not yet sent", func(t *testing.T) {
		p := newPaperReplay(t)
		p.set(p.one, position, 0xa5)
		p.packet("0d10169452", "update 0 10")
		p.set(p.one, position, 0x5a)
		p.ack(true)
		p.packet("153016142d", "update 0 10")
		p.ack(false)
		p.requireIdle()
		p.requireEqual()
	})
}

// TestPaperFigure5 replays figure 5 of the paper. Packet 1 carries states 1 to 3 of object 1 and
// states 1 and 3 of object 2. A later packet carries state 2 of object 1. When packet 1 is lost,
// the ghosts owe states 1 and 3 of both objects again, but not state 2 of object 1.
func TestPaperFigure5(t *testing.T) {
	p := newPaperReplay(t)
	for g := 1; g <= 3; g++ {
		p.set(p.one, g, uint64(0x10+g))
	}
	p.set(p.two, 1, 0x21)
	p.set(p.two, 3, 0x23)
	p.packet("0d1036f40889090d1901", "update 0 1110", "update 1 1010")
	p.packet("00") // packet 2 has no ghosts
	p.set(p.one, 2, 0x32)
	p.packet("152058906400", "update 0 100")
	p.ack(true)
	p.packet("1d60d8502326346404", "update 0 1010", "update 1 1010")
	p.ack(false)
	p.ack(false)
	p.requireIdle()
	p.requireEqual()
}

// TestLostCreatesAndKillsAreResent checks that creates and kills are sent again after a loss.
func TestLostCreatesAndKillsAreResent(t *testing.T) {
	p := newPaperReplay(t)
	p.from.Unscope(p.one)
	p.packet("0d100406", "kill 0 0")
	p.requireIdle()
	p.ack(true)
	p.packet("15201018", "kill 0 0")
	three := p.object(box)
	p.from.Scope(three)
	p.packet("1d6028580100000001", "create 2 1111") // id 0 is in use until the kill is acknowledged
	p.ack(false)
	p.ack(true)
	p.packet("15300a5600000040", "create 2 1111")
	four := p.object(box)
	p.from.Scope(four)
	p.packet("1d20285000000040", "create 0 1111")
	p.ack(false)
	p.ack(false)
	p.requireIdle()
	p.requireEqual()
}

// TestCreateIsRepeated checks that a change of a ghost is sent as another create while the first
// create is in flight. Either create makes the ghost. If one is lost, the ghost owes only the
// groups that no later create carries.
func TestCreateIsRepeated(t *testing.T) {
	p := newPaperReplay(t)
	three := p.object(box)
	p.from.Scope(three)
	p.packet("0d100a5600000040", "create 2 1111")
	p.set(three, 1, 7)
	p.packet("15300a56c0010040", "create 2 1111")
	p.ack(true)
	p.requireIdle()
	require.False(t, p.from.Live(three))
	p.ack(false)
	require.True(t, p.from.Live(three))
	p.requireIdle()
	p.requireEqual()
}
