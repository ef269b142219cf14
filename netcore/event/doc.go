// Package event implements the event stream of a connection: messages with a choice of delivery
// guarantees, and a table of strings that both ends share.
//
//	sender                                            receiver
//	Post ──▶ lane ─┐
//	Post ──▶ lane ─┼─▶ channel 0, commands ──packets──▶ in order ──────▶ Process
//	               └─▶ channel 1, bulk ──────packets──▶ in order ──────▶ Process
//	Post ────────────▶ unordered ────────────packets──▶ on arrival ────▶ Process
//	Fate, Processed ◀──────────── delivery reports of the connection
//
// # Events
//
// A program describes each kind of event with a type that implements [Event], and lists all kinds
// in one [Kinds] table. The handshake compares the hashes of both tables. Ends with unequal tables
// use the ids of the server, and [Stream.Translate] leaves out what the peer lacks. [Stream.Post]
// queues an event. Serialize writes it into a packet, and at the peer Serialize reads it and
// Process runs it.
//
// # Guarantees
//
//   - Ordered events are processed exactly once. Events of the same channel and lane are processed
//     in the order of their Post calls.
//   - Guaranteed events are processed exactly once, in any order.
//   - Unguaranteed events are processed at most once. They are not sent again. Such an event can
//     have a life: if no packet has carried it by then, it is dropped.
//
// When the connection ends, every event without a confirmed delivery is reported as not delivered.
//
// Lanes share a channel equally by bytes, so a mod with a full queue delays only itself. Commands
// and bulk share a packet: each gets at least a quarter of the room. A command too large
// for a packet travels in pieces and blocks only its own lane.
//
// An ordered event is sent again when every packet with a copy was lost. Before the stream knows of
// a loss, it also repeats events in flight: in packets that carry something new and have room, and
// after a send interval in packets of their own. At a fixed rate of one packet per tick, all
// packets carry something new.
//
// # Strings
//
// [Codec.Tag] writes a string that is used often. Its text crosses the connection once, together
// with a number. Later events contain only the number.
//
// # Limits
//
// The stream limits everything that a peer can make it keep: early events, pieces, strings. A peer
// that exceeds a limit or breaks a rule ends the connection. So does a peer that accepts nothing
// for 45 s while a queue is full. All limits are in stream.go and PROTOCOL.md, Events.
//
// # Where to read
//
//	kind.go                   events, kinds, and the codec that events write to
//	wire.go                   the ids of a peer with other kinds
//	stream.go                 Config, Post, the state of a stream
//	shared.go                 one event for many streams
//	queue.go                  lanes, channels and their windows
//	send.go, run.go           the section of a packet, written
//	receive.go                the section, read; events processed in order
//	life.go                   unguaranteed events that are dropped when they are late
//	fate.go, trim.go          delivery and loss; memory that is not needed any more
//	fragment.go, assembly.go  large events in pieces: sender and receiver
//	strings.go, announce.go   the string table
package event
