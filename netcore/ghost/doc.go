// Package ghost replicates objects to a peer. A ghost is the peer's copy of an object. Each
// connection has one Stream, a netcore.Stream for both directions. Only the newest state of an
// object matters: a ghost can skip intermediate states, but it always reaches the newest one.
//
//	owner, once per tick         each connection         peer
//	Snapshots.Begin, Set ─read─▶ Stream.Pack ───packet──▶ Stream.Unpack ─queue─▶ Stream.Next
//	                                  ▲                         │
//	                             Stream.Notify ◀──────ack───────┘
//
// # Classes and snapshots
//
// A Layout describes a class of objects as a list of at most 32 groups. The cells of a group are
// sent together. A create carries all groups. An update carries a mask of groups and their values.
// Group 0 is constant, so only a create carries it.
//
// Snapshots holds the quantised values of every group of every object, and the tick of the newest
// change of each group. The owner of the world writes it once per tick. All connections read it
// concurrently. It stores nothing per connection.
//
// # Masks
//
// A connection stores two things per ghost: sent, the tick of the newest update, and owed, a mask.
// The mask of the next update is owed plus every group with a change after sent. A change of an
// object therefore writes to no connection, and its cost does not grow with their number.
//
// When Pack cannot send everything, it takes the ghosts with the highest priority. The priority
// grows with the weight of the object, the weight of the group, and the ticks since the ghost was
// last sent.
//
// # Lost packets
//
// The stream records the groups of each ghost in each packet in flight: a bit per ghost, in words of
// ghosts with the same groups. Notify reports the delivery
// or the loss of a packet. After a loss, a ghost owes the groups of that packet again, except for
// groups that a later packet carries too. They are sent with their current values. Creates and
// kills are repeated until the peer has one of them.
//
// When an ack is overdue and nothing else is left to send, the stream repeats the state in flight.
// A world at rest therefore also recovers from a loss.
//
// # Baselines and deltas
//
// A group is smooth if all its cells are. Its values are sent relative to a baseline: the one or
// two newest values that the peer is known to have. Both ends extrapolate the baseline to the tick
// of the update. A cell with a rate, as a position with a velocity, is predicted from the newest
// known value and from the old and the new rate. The packet carries the residuals. It also names a base packet, the newest one
// known to have arrived. From that, both ends derive the same baseline. If the residuals take more
// bits than the whole groups, the update carries the whole groups.
//
// # Where to read
//
//	layout.go                classes, groups, cells
//	snapshots.go, values.go  the state of all objects
//	history.go, depth.go     the values of smooth groups in the newest ticks
//	stream.go                Stream, its configuration and its statistics
//	table.go, handover.go    the ghosts of a connection: states, ids, the order of create and kill
//	sparse.go                columns with values of few ghosts
//	select.go, candidates.go priorities, and the choice of ghosts for a packet; also planes.go
//	send.go, packet.go       the section of a packet
//	update.go                updates: one pass over the chosen ghosts, in order of ids
//	copy.go                  the fast path of updates: copies of shared updates, word by word
//	body.go, delta.go        the bits of one ghost; delta.go is the fast path
//	known.go                 the values that the peer is known to have
//	fate.go, resend.go       delivery, loss, repetition of state in flight
//	large.go                 objects that need a larger packet
//	receive.go, baseline.go  the receiving side: the general path, and the table of ghosts
//	quick.go, maskplan.go    the fast path of received updates; also bitwindow.go, residuals.go
//	change.go                received changes: each value is stored here once, by packet
//	window.go                the packets whose values are not baselines yet
//	idset.go                 sets of ids
//	encodings.go             the updates that the connections of a worker share in a tick
//	code.go, group.go, raw.go, check.go, shortbits.go  the encoding, one description per item
//	name.go                  names of ghosts in events
//	seen.go                  what the peer is known to have, for people who look
//
// PROTOCOL.md, section Ghosts, defines the wire format.
package ghost
