package main

import "github.com/torc-engine/torc/netcore"

// circuit is the short way between the two sides of one process: a queue in memory for each
// direction. What goes through it is sealed like everything else.
type circuit struct{ toServer, toClient queue }

// The addresses of its two ends.
var (
	serverEnd = netcore.LocalAddr(1)
	clientEnd = netcore.LocalAddr(2)
)

// queue keeps datagrams, one behind the other in one buffer that is reused.
type queue struct {
	bytes []byte
	ends  []int
}

func (q *queue) push(_ netcore.Addr, b []byte) {
	q.bytes = append(q.bytes, b...)
	q.ends = append(q.ends, len(q.bytes))
}

// drain hands over what waits. Nothing may be pushed meanwhile.
func (q *queue) drain(receive func(b []byte)) {
	start := 0
	for _, end := range q.ends {
		receive(q.bytes[start:end])
		start = end
	}
	q.bytes, q.ends = q.bytes[:0], q.ends[:0]
}
