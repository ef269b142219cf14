package netcore

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/torc-engine/torc/console/consoletest"
)

// TestStories plays the transcripts of testdata/stories: two ends of a connection, and somebody who
// decides what happens to each packet. -update writes what is said now.
func TestStories(t *testing.T) {
	consoletest.Run(t, "testdata/stories/*.txt", func(t *testing.T, out func(string)) consoletest.LineRunner {
		s := &story{t: t, out: out, sent: map[string][]byte{}}
		s.a, s.b = newTestConns(ConnConfig{})
		return s
	})
}

// A story has two ends, a and b, and their packets by name: a1 is the first data packet of a.
type story struct {
	t    *testing.T
	out  func(string)
	a, b *testConn
	now  Time
	sent map[string][]byte
}

// Feed runs a line of a story:
//
//	a sends 3            three packets with data; they wait
//	b sends              what is due without data, such as acks
//	a1 a3 arrive         at the other end, in this order
//	a2 is lost
//	500ms pass
//	a wants 10 packets/s of 200 bytes      from its peer
//	a counts             packets in flight, and the rate
func (s *story) Feed(line string) (string, bool, error) {
	words := strings.Fields(line)
	switch last := words[len(words)-1]; {
	case last == "arrive" || last == "arrives":
		s.arrive(words[:len(words)-1])
	case last == "lost":
	case last == "pass":
		d, err := time.ParseDuration(words[0])
		if err != nil {
			return "", false, err
		}
		s.now += d
		s.a.Tick(s.now)
		s.b.Tick(s.now)
	case words[1] == "sends":
		return "", false, s.send(words[0], words[2:])
	case words[1] == "wants":
		var r Rate
		if _, err := fmt.Sscanf(strings.Join(words[2:], " "), "%g packets/s of %d bytes", &r.Packets, &r.Size); err != nil {
			return "", false, err
		}
		s.end(words[0]).SetReceiveRate(r)
	case words[1] == "counts":
		e := s.end(words[0])
		r := e.SendRate()
		s.out(fmt.Sprintf("%d in flight, at most %.0f packets/s of %d bytes", e.InFlight(), r.Packets, r.Size))
	default:
		return "", false, fmt.Errorf("no story has this line")
	}
	s.tell()
	return "", false, nil
}

// End implements consoletest.LineRunner.
func (s *story) End() error { return nil }

func (s *story) end(name string) *testConn {
	if name == "a" {
		return s.a
	}
	return s.b
}

// send lets an end send: packets with data, or what is due.
func (s *story) send(name string, count []string) error {
	e, n := s.end(name), 0
	if len(count) > 0 {
		var err error
		if n, err = strconv.Atoi(count[0]); err != nil {
			return err
		}
	}
	e.rate.tokens, e.rate.at, e.stream.want = float64(n)+1, s.now, n
	before, data := e.out.next(), 0
	e.rate.boosted = true // not limited by the congestion control
	packets := e.send(s.now)
	e.stream.want, e.rate.boosted = 0, false
	for i, d := range packets {
		label := fmt.Sprintf("%s.%d", name, len(s.sent)+1) // of a control packet
		if at := before + Seq(i); at < e.out.next() && n > 0 {
			label = fmt.Sprintf("%s%d", name, at)
			data++
		}
		s.sent[label] = d
		if n == 0 {
			s.out(label)
		}
	}
	switch {
	case n == 0:
	case data == 0:
		s.out("nothing: it waits")
	case data == 1:
		s.out(fmt.Sprintf("%s%d", name, before))
	default:
		s.out(fmt.Sprintf("%s%d to %s%d", name, before, name, before+Seq(data)-1))
	}
	return nil
}

func (s *story) arrive(labels []string) {
	for _, label := range labels {
		from, to, ranged := strings.Cut(label, "-")
		if !ranged {
			s.deliver(label)
			continue
		}
		first, _ := strconv.Atoi(from[1:])
		last, _ := strconv.Atoi(to[1:])
		for n := first; n <= last; n++ {
			s.deliver(fmt.Sprintf("%s%d", from[:1], n))
		}
	}
}

func (s *story) deliver(label string) {
	d, known := s.sent[label]
	if !known {
		s.t.Fatalf("there is no packet %s", label)
	}
	s.end(map[byte]string{'a': "b", 'b': "a"}[label[0]]).take(s.now, d)
}

// tell tells what the streams of both ends were told.
func (s *story) tell() {
	for _, end := range []struct {
		name string
		conn *testConn
	}{{"a", s.a}, {"b", s.b}} {
		var said []string
		for _, r := range end.conn.record {
			switch {
			case r[0] == '+':
				said = append(said, r[1:]+" arrived")
			case r[0] == '-':
				said = append(said, r[1:]+" is lost")
			default:
				said = append(said, "reads "+r)
			}
		}
		end.conn.record = nil
		if len(said) > 8 {
			said = append(append(said[:3:3], fmt.Sprintf("… %d more …", len(said)-6)), said[len(said)-3:]...)
		}
		if len(said) > 0 {
			s.out(end.name + ": " + strings.Join(said, ", "))
		}
	}
}
