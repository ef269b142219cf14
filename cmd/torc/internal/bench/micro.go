package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore/bitstream"
)

const (
	microBatch = 100 // operations between two resets of the stream
	microTurns = 5   // the median of these counts
)

// operation is one stream operation. The same function reads and writes.
type operation struct {
	name        string
	write, read float64 // OpenTNL's time in ns; 0 is unknown
	do          func(s *bitstream.Codec)
}

// operations returns the operations with OpenTNL figures. The object is that of the replicate
// workload: a position, two angles and its health.
func operations() []operation {
	flag, number, fraction, health := true, uint32(0x2abcd), 0.7, uint32(63)
	place, angles := [3]float64{0.25, 0.5, 0.75}, [2]float64{0.3, 0.6}
	return []operation{
		{"flag", 1.4, 0, func(s *bitstream.Codec) { s.Flag(&flag) }},
		{"int18", 3.8, 5.6, func(s *bitstream.Codec) { s.Uint(&number, 18) }},
		{"float18", 4.3, 11.7, func(s *bitstream.Codec) { s.Float(&fraction, 18) }},
		{"object", 25, 53, func(s *bitstream.Codec) {
			for i := range place {
				s.Float(&place[i], 18)
			}
			s.Float(&angles[0], 10)
			s.Float(&angles[1], 8)
			s.Uint(&health, 6)
		}},
	}
}

func micro(row time.Duration, emit func(Row)) error {
	buf := make([]byte, microBatch*16)
	w, r := bitstream.NewWriter(buf), bitstream.NewReader(buf)
	for _, op := range operations() {
		write := nanoseconds(row, microBatch, func() {
			w.Reset(buf)
			for range microBatch {
				op.do(&w.Codec)
			}
		})
		read := nanoseconds(row, microBatch, func() {
			r.Reset(buf)
			for range microBatch {
				op.do(&r.Codec)
			}
		})
		if w.Err() != nil || r.Err() != nil {
			return fmt.Errorf("%s: %v, %v", op.name, w.Err(), r.Err())
		}
		emit(figure(op.name+" write", write, op.write))
		emit(figure(op.name+" read", read, op.read))
	}
	return text(row, emit)
}

func figure(name string, ns, peer float64) Row {
	r := Row{{"op", name}, {"ns", ns}, {"peer_ns", nil}}
	if peer > 0 {
		r[2].Value = peer
	}
	return r
}

// text measures chat-like lines: encoded size, and time per line.
func text(row time.Duration, emit func(Row)) error {
	bits, plain := 0, 0
	packed := make([][]byte, len(chat))
	w, r := bitstream.NewWriter(make([]byte, 1200)), bitstream.NewReader(nil)
	for i := range chat {
		w.Reset(make([]byte, 1200))
		w.Text(&chat[i], 255)
		bits += w.Pos()
		plain += 8 * (1 + len(chat[i]))
		packed[i] = w.Bytes()
	}
	buf := make([]byte, 1200)
	write := nanoseconds(row, len(chat), func() {
		for i := range chat {
			w.Reset(buf)
			w.Text(&chat[i], 255)
		}
	})
	var got string
	read := nanoseconds(row, len(chat), func() {
		for i := range packed {
			r.Reset(packed[i])
			r.Text(&got, 255)
		}
	})
	if w.Err() != nil || r.Err() != nil || got != chat[len(chat)-1] {
		return fmt.Errorf("text: %v, %v, %q", w.Err(), r.Err(), got)
	}
	emit(figure("text write", write, 44))
	emit(figure("text read", read, 57))
	emit(Row{{"op", "text size"}, {"share", float64(bits) / float64(plain)}, {"peer_share", 0.635}})
	return nil
}

// nanoseconds returns the time per operation, if do performs n operations.
func nanoseconds(row time.Duration, n int, do func()) float64 {
	var took []float64
	for range microTurns {
		times, start := 0, time.Now()
		for times == 0 || time.Since(start) < row/microTurns {
			for range 10 {
				do()
			}
			times += 10
		}
		took = append(took, float64(time.Since(start).Nanoseconds())/float64(times*n))
	}
	slices.Sort(took)
	return took[microTurns/2]
}

// chat is a sample of chat lines. The text code was not trained on it.
var chat = []string{
	"hello everyone",
	"anyone up for another round?",
	"nice shot!",
	"their flag is at the north tower",
	"I'm going mid, cover me",
	"gg",
	"lol that was close",
	"who took the repair pack",
	"need a heavy on defense please",
	"Incoming from the east ridge, two of them!",
	"thanks",
	"we have the flag, return ours",
	"can somebody fix the generator?",
	"brb phone",
	"ok",
	"my ping is terrible today",
	"Vote for Katabatic next",
	"one more capture and we win",
	"watch the mines near the door",
	"sorry, wrong team",
}
