package bitstream_test

import (
	"fmt"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// damage is the example of the Tribes networking paper: what is not true costs
// one bit, what is true costs no more than it must.
type damage struct {
	update       bool
	state        uint32
	level        float64
	repairActive bool
	repairRate   uint32
}

const dead = 2

// serialize writes or reads d, whichever s does.
func (d *damage) serialize(s *bitstream.Codec) {
	if !s.Flag(&d.update) { // 1 bit
		return
	}
	s.Uint(&d.state, 2) // 2 bits
	if d.state == dead {
		return
	}
	s.Float(&d.level, 6)         // 6 bits
	if s.Flag(&d.repairActive) { // 1 bit
		s.Uint(&d.repairRate, 4) // 4 bits
	}
}

func ExampleWriter() {
	buf := make([]byte, 16)
	for _, d := range []damage{
		{},
		{update: true, state: dead},
		{update: true, state: 1, level: 0.5},
		{update: true, state: 1, level: 0.5, repairActive: true, repairRate: 9},
	} {
		w := bitstream.NewWriter(buf)
		d.serialize(&w.Codec)

		var got damage
		r := bitstream.NewReader(w.Bytes())
		got.serialize(&r.Codec)
		fmt.Printf("%2d bits: %+v\n", w.Pos(), got)
	}
	// Output:
	//  1 bits: {update:false state:0 level:0 repairActive:false repairRate:0}
	//  3 bits: {update:true state:2 level:0 repairActive:false repairRate:0}
	// 10 bits: {update:true state:1 level:0.5 repairActive:false repairRate:0}
	// 14 bits: {update:true state:1 level:0.5 repairActive:true repairRate:9}
}

func ExampleWriter_Rewind() {
	w := bitstream.NewWriter(make([]byte, 8))
	for _, line := range []string{"attack", "defend our flag", "wait"} {
		m := w.Mark()
		w.Text(&line, 255)
		if w.Err() != nil {
			w.Rewind(m)
			fmt.Printf("%q does not fit\n", line)
		}
	}
	r := bitstream.NewReader(w.Bytes())
	for range 2 {
		var line string
		r.Text(&line, 255)
		fmt.Println(line)
	}
	// Output:
	// "defend our flag" does not fit
	// attack
	// wait
}
