// Package congestion decides how fast one side of a connection can send. It has no clock, no
// goroutine and no socket: time is an argument. Its input are the acks of netcore. They are exact,
// and each says how long the peer took to answer.
//
// # The model
//
// A Controller is a model of the line. It estimates three values: the queue of the line, the rate
// at which packets arrive at the peer, and the share of lost packets.
//
//	queue      round-trip time, less the lowest one of packets of that size (delay.go)
//	arrival    bytes per second between two packets, by the clock of the peer (delivery.go)
//	loss       packets per round that did not arrive
//
// The queue decides first. It tells of a full line before packets are lost, and it does not grow on
// a line that loses packets at random. The rate moves through these phases (adapt.go):
//
//	startup    ×2 per round trip, until the queue is too long
//	draining   0.85 × arrival rate, until the queue is nearly empty
//	steady     0.86 × arrival rate, then rising: slowly below the last full rate, and faster and
//	           faster above it
//	competing  another sender fills the queue whatever this one does: losses decide, as in TCP
//	           (compete.go)
//
// A new connection sends four packets at once, then one per tick until the first ack. A peer
// answers every tick. So one ack of four packets shows a line of at least 1 Mbit/s, and the
// connection sends ten more at once. On a slower line, an ack tells of fewer.
//
// The arrival rate tells in one step what a full line can carry. The rate therefore falls to a
// tenth at once when the capacity does. It is never a reason to send faster: only an unused queue
// is.
//
// # Beside a TCP
//
// A line that has become slower and a line beside a TCP look alike at first: less arrives, and
// there is a queue. The next reductions tell them apart. Alone on a line, a lower rate shortens the
// queue. A TCP takes the room instead. After six reductions in vain, one per round trip, the
// connection competes.
//
// On a slow line with a short queue a TCP has two or three segments on the way, and the queue is
// empty for a moment in each round trip. Reductions then seem to help. So the connection also
// competes after 4 s with less than 0.4 of its best rate. In this time the queue must not have been
// short for ten packets in a row.
//
// A competing connection adds as much per round trip as a TCP, and it reduces its rate once per
// round trip with losses. While the queue becomes shorter, the rate does not grow. Alone, the
// connection thus empties the queue after a loss, and the phase ends. It also ends after 6 to 11 s:
// two connections that take each other for a TCP do not stay so.
//
// A TCP never empties the queue. For 30 s, the connection therefore keeps the round-trip times of
// the time before.
//
// # Two connections
//
// A connection with a low rate tolerates a longer queue than one with a high rate. So two
// connections on one line become equally fast.
//
// Losses alone slow a connection down only above 5 %, beyond doubt, and not below 128 kbit/s. A
// flow that sends less than its rate keeps the rate: its own packets do not cause the queue.
//
// # Policers
//
// A policer, and a queue shorter than a packet and a half, drop packets before a queue shows.
// Losses at random look alike. So losses above 5 % on a line without a queue begin a question
// (police.go): the rate is 25 % higher and 25 % lower in turns of about a quarter of a second. If
// only fast turns lose packets, again and again, the line is policed. The rate then stays below the
// arrival rate of the fast turns, creeps upwards, and falls when losses come close together.
//
// Losses at random answer a question after three pairs of turns or a few more. The rate is then as
// before. The next question follows after a minute, and later ones become rarer.
//
// # Why this model
//
// The bandwidth model and the probing are those of BBRv3. Its loss threshold of 2 % and its probes
// of 1.25 × the bandwidth are not: a game sends packets as large as the queue of a slow line is
// long. A probe of a whole round trip would then lose packets of players. SCReAM and GCC have the
// delay and the additive increase, but they give way to TCP. The phase competing is for that.
//
// # One machine
//
// Between two ends in one process there is no line. Only a busy machine delays their packets, so
// the rate never falls below one full packet per tick.
//
// Behind an address of this machine there can be a tunnel or a proxy, and behind that a line. The
// same lowest rate holds there until the line shows: by losses above 5 %, by a queue of 400 ms, or
// by a queue that is too long for 3 s. A busy machine causes none of them: now and then a packet
// gets through at once. Afterwards the rate follows the line as on any other path.
//
// # Ticks
//
// A game sends in ticks, and so do the acks come. The peer's answer delay is taken off, so ticks
// are not mistaken for queues. Send times are multiples of 2 ms: many connections then wake their
// owner together.
//
// # Where to read
//
//	controller.go    Controller: tokens, packets in flight, the lowest rate
//	adapt.go         the phases, and the rate in each
//	compete.go       beside a TCP
//	police.go        losses that heed the rate
//	delay.go         the queue
//	delivery.go      the arrival rate
//	ack.go           the input
package congestion
