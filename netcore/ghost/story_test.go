package ghost

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/torc-engine/torc/console/consoletest"
)

// TestStories plays the transcripts of testdata/stories: an object with a position and a colour,
// and one client. -update writes what happens now.
func TestStories(t *testing.T) {
	consoletest.Run(t, "testdata/stories/*.txt", func(t *testing.T, out func(string)) consoletest.LineRunner {
		thing := NewLayout(7, "Thing", []CellGroup{{},
			{Cells: []Cell{{Field: "position", Bits: 16}}}, {Cells: []Cell{{Field: "colour", Bits: 8}}}})
		s := &ghostStory{ghostRig: newGhostRig(t, Config{}, thing), out: out}
		s.obj = s.object(thing, nil, []uint64{0}, []uint64{0})
		s.from.Scope(s.obj)
		s.pack()
		s.ack(false)
		s.begin()
		return s
	})
}

type ghostStory struct {
	*ghostRig
	out func(string)
	obj uint32
}

// Feed runs a line of a story:
//
//	position 7           the object moves; colour changes it likewise
//	send                 packs a packet, and says what is in it
//	arrives, is lost     the oldest packet without a fate
//	owed                 the groups whose loss is known, and the values that the client has
func (s *ghostStory) Feed(line string) (string, bool, error) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "position", "colour":
		v, err := strconv.ParseUint(rest, 10, 8)
		if err != nil {
			return "", false, err
		}
		s.begin()
		s.set(s.obj, map[string]int{"position": 1, "colour": 2}[verb], v)
	case "send":
		s.send()
	case "arrives", "is":
		if len(s.inFlight) == 0 {
			return "", false, fmt.Errorf("no packet is in flight")
		}
		s.ack(verb == "is")
	case "owed":
		s.tell()
	default:
		return "", false, fmt.Errorf("no story has this line")
	}
	return "", false, nil
}

// End implements consoletest.LineRunner.
func (s *ghostStory) End() error { return nil }

// send packs a packet, in the next tick.
func (s *ghostStory) send() {
	s.begin()
	p := s.pack()
	if p == nil {
		s.out("nothing to send")
		return
	}
	values := p.expected[0].groups
	var what []string
	for g, name := range []string{"", "position", "colour"} {
		if p.bodies[0].mask>>g&1 != 0 {
			what = append(what, fmt.Sprintf("%s %d", name, values[g].Cells[0]))
		}
	}
	s.out(fmt.Sprintf("packet %d: %s", p.seq, strings.Join(what, ", ")))
}

func (s *ghostStory) tell() {
	owed := "nothing"
	for g, name := range []string{"", "position", "colour"} {
		if s.from.table.owedBy(0)>>g&1 != 0 {
			owed = strings.TrimPrefix(owed+" and "+name, "nothing and ")
		}
	}
	m := s.mirrors[0]
	s.out(fmt.Sprintf("owed: %s; the client shows position %d, colour %d", owed, m.groups[1].Cells[0], m.groups[2].Cells[0]))
}
