package netcore_test

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/seal"
)

// wordStream is a complete stream: it sends words and repeats each until it arrives.
type wordStream struct {
	name    string
	waiting []string
	flying  map[netcore.Seq]string
}

func (s *wordStream) Pack(w *bitstream.Writer, p netcore.Outgoing) bool {
	start := w.Mark()
	if w.WriteFlag(len(s.waiting) > 0) {
		word := s.waiting[0]
		if w.Text(&word, 100); w.Err() == nil {
			s.flying[p.Seq], s.waiting = word, s.waiting[1:]
			return true
		}
		w.Rewind(start) // no room: try the next packet
		w.WriteFlag(false)
	}
	return false
}

func (s *wordStream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	if r.ReadFlag() {
		var word string
		r.Text(&word, 100)
		fmt.Printf("%s reads %q in packet %d\n", s.name, word, p.Seq)
	}
	return r.Err()
}

func (s *wordStream) Notify(seq netcore.Seq, delivered bool) {
	word, mine := s.flying[seq]
	delete(s.flying, seq)
	if mine && !delivered {
		s.waiting = append([]string{word}, s.waiting...)
	}
	fmt.Printf("%s hears of packet %d: delivered %v\n", s.name, seq, delivered)
}

// Each stream decides what to do after a loss. This one sends the word again.
func ExampleStream() {
	ka, kb := netcoretest.Pairs(1)
	end := func(keys *seal.Session, name string, words ...string) *netcore.Conn {
		return netcore.NewConn(0, netcore.ConnConfig{Keys: keys, Streams: func(*netcore.Conn) []netcore.Stream {
			return []netcore.Stream{&wordStream{name, words, map[netcore.Seq]string{}}}
		}})
	}
	a, b := end(ka, "a", "hello", "world"), end(kb, "b")
	packet := 0
	a.Send(0, func(_ netcore.Addr, datagram []byte) {
		if packet++; packet != 1 { // the first is lost
			b.Receive(20*time.Millisecond, datagram)
		}
	})
	b.Tick(32 * time.Millisecond)
	b.Send(32*time.Millisecond, func(_ netcore.Addr, d []byte) { a.Receive(50*time.Millisecond, d) })
	a.Send(64*time.Millisecond, func(_ netcore.Addr, d []byte) { b.Receive(80*time.Millisecond, d) })
	// Output:
	// b reads "world" in packet 2
	// a hears of packet 1: delivered false
	// a hears of packet 2: delivered true
	// b reads "hello" in packet 3
}

// The owner of a Conn passes datagrams and the time to it, and sends its packets. Here a function
// call replaces the network.
func ExampleConn() {
	ka, kb := netcoretest.Pairs(1)
	a := netcore.NewConn(0, netcore.ConnConfig{Keys: ka, Addr: netcore.SimAddr(2)})
	b := netcore.NewConn(0, netcore.ConnConfig{Keys: kb, Addr: netcore.SimAddr(1),
		Ended: func(c *netcore.Conn, r netcore.Reason) { fmt.Println("b ended:", r) }})

	a.SetReceiveRate(netcore.Rate{Packets: 10, Size: 200}) // worth a packet
	for now := time.Duration(0); now < time.Second; now += 32 * time.Millisecond {
		a.Tick(now)
		b.Tick(now)
		a.Send(now, func(_ netcore.Addr, datagram []byte) { b.Receive(now, datagram) })
		b.Send(now, func(_ netcore.Addr, datagram []byte) { a.Receive(now, datagram) })
		if now == 320*time.Millisecond {
			fmt.Println("b sends at", b.SendRate())
			a.Close(netcore.Reason{Code: netcore.ShuttingDown})
		}
	}
	fmt.Println("a is done:", a.Done())
	// Output:
	// b sends at 10/s x 200 B
	// b ended: shutting down
	// a is done: true
}
