package event_test

import (
	"fmt"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
)

const signalBits = 4

// signal is the simple event of the Tribes paper.
type signal struct{ signal uint32 }

var signals = event.NewKinds(event.Kind{
	Name: "signal", New: func() event.Event { return new(signal) },
})

var signalID = signals.ID("signal")

func (e *signal) KindID() event.KindID { return signalID }

func (e *signal) Serialize(s *event.Codec) { s.Uint(&e.signal, signalBits) }

func (e *signal) Process(*netcore.Conn) error {
	fmt.Println("received signal", e.signal)
	return nil
}

func ExampleEvent() {
	server := event.New(event.Config{Kinds: signals, Server: true})
	client := event.New(event.Config{Kinds: signals})

	// packet carries one event section from the server to the client.
	packet := func(seq netcore.Seq) {
		w := bitstream.NewWriter(make([]byte, 100))
		server.Pack(w, netcore.Outgoing{Seq: seq})
		if err := client.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: seq}); err != nil {
			fmt.Println(err)
		}
		server.Notify(seq, true)
		fmt.Println(w.Pos(), "bits")
	}
	post := func(n uint32) {
		if err := server.Post(&signal{n}, event.Post{}); err != nil {
			fmt.Println(err)
		}
	}

	packet(1) // nothing: 3 bits
	post(9)
	packet(2) // per packet a number in 10 bits; per event 1 bit, 2 for its kind, 4 for its value
	post(3)
	post(5)
	packet(3)
	// Output:
	// 3 bits
	// received signal 9
	// 12 bits
	// received signal 3
	// received signal 5
	// 19 bits
}
