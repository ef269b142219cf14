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
// The masks need two values per ghost: sent, the tick of the newest update, and owed, a mask. The
// mask of the next update is owed plus every group with a change after sent, without the groups
// that are withheld. A change of an object therefore writes to no connection, and its cost does not
// grow with their number.
//
// A ghost with a low weight is not sent in each tick, but on its beat: in every second, fourth or
// eighth tick. When Pack cannot send everything that is due, it takes the ghosts with the highest
// priority. The priority grows with the weight of the object, the weight of the group, and the
// ticks since the ghost was last sent.
//
// # Lost packets
//
// The stream records the groups of each ghost in each packet in flight: a bit per ghost, in words
// of ghosts with the same groups. Notify notes the delivery or the loss of a packet. ApplyFates or
// the next Pack applies it (notify.go). After a loss, a ghost owes the groups of that packet again,
// except for groups that a later packet carries too. They are sent with their current values.
// Creates and kills are repeated until one copy has arrived.
//
// When an ack is overdue and nothing else is left to send, the stream repeats the state in flight.
// A world at rest therefore also recovers from a loss.
//
// # Baselines and deltas
//
// A group is smooth if all its cells are. Its values are sent relative to a baseline: the one or
// two newest values that the peer is known to have. Both ends extrapolate the baseline to the tick
// of the update. A cell with a rate, as a position with a velocity, is predicted from the newest
// known value and from the old and the new rate. The packet carries the residuals. It also names a
// base packet, the newest one known to have arrived. From that, both ends derive the same baseline.
// If the residuals take more bits than the whole groups, the update carries the whole groups.
//
// # From a field to a ghost
//
//  1. `flag.team = 3` in Lua calls Field.Set of package sim, which calls Identity.MarkLeap with the
//     group of the field. The object is now in the world's list of marked objects.
//  2. At the end of the tick, Class.Quantise makes the cells of the group. Snapshots.Set compares
//     them with the previous ones, and stamps the group with the tick if they differ. This touches
//     no connection.
//  3. Pack derives the missing groups of each ghost, and its priority. It chooses the ghosts with
//     the highest priority.
//  4. Pack walks the chosen ghosts in order of ids while there is room. It copies the bits of each
//     from the tables that the connections of a worker share (encodings.go). The first connection
//     that needs an update puts it there. Pack records the ghosts and groups of the packet.
//  5. At the peer, Unpack decodes into a queue of Change values. The values of a packet are stored
//     once: for the tick, and until the base reaches the packet and they become baselines.
//  6. In the peer's tick, the engine sets the fields (engine/ghostchange.go). Groups of numbers are
//     set through the places of the numbers (sim.NumberRun), others with Class.Restore. sim.Motion
//     smooths moving objects, and sim.Arrival measures how late their states are.
//
// # Decisions
//
//   - Ghosts know numbers, not objects. The owner fills Snapshots, and the stream only reads them.
//     So nothing calls back into the engine while connections pack in parallel.
//   - Masks are derived from the ticks of changes. The result is the rule of the paper, bit for
//     bit: a test compares it with a naive form of that rule.
//   - An update carries a mask. Most updates of a packet have the same mask, and the packet carries
//     it once. An update that lacks only a light group of this mask carries that group too: its
//     residuals take as many bits as the code of another mask.
//   - A ghost with an unacknowledged create is sent again whole when it changes. Otherwise it would
//     stand still for a round trip. Therefore a create of a live id of the same class means its
//     full state.
//   - The receiver queues changes. It applies them in its tick, in order with the events of the
//     same connection. So a command finds the ghost that it names.
//   - A map change is sent as a new epoch, not as kills. Ids begin again at once. A peer that
//     learns of the epoch late deletes its ghosts first. Otherwise a ghost id is free when its kill
//     has arrived.
//   - A reference to an object without a ghost is written as none. When the peer acknowledges the
//     create of the target, the referring groups are owed again.
//   - Ghosts are chosen by priority, then written in order of ids. Increasing ids are cheap to
//     encode. Most of the packet is filled with the ghosts that probably fit, and the rest with the
//     next ones. The walk over the ids begins at the first ghost that did not fit into the previous
//     packet.
//
// # Where to read
//
//	layout.go                 classes, groups, cells
//	snapshots.go, values.go   the state of all objects
//	history.go, depth.go      the values of smooth groups in the newest ticks
//	stream.go                 Stream, its configuration and its statistics
//	table.go, handover.go     the ghosts of a connection: states, ids, the order of create and kill
//	sparse.go                 columns with values of few ghosts
//	select.go                 the ghosts that have something to send, and their keys
//	candidates.go, planes.go  the choice of those with the highest priority
//	beat.go                   ages; the ticks in which ghosts with low weights are sent
//	send.go, packet.go        the section of a packet
//	update.go                 updates: walks over the chosen ghosts, in order of ids; single updates
//	wordkeys.go               which update each ghost of a word needs
//	copy.go                   copies of shared updates, word by word
//	join.go                   updates that the table lacks, joined from the bits of their groups
//	encodings.go              the bits that the connections of a worker share in a tick
//	ways.go                   counts of how updates were made, for people who measure
//	delta.go                  the bits of one group, whole or relative to a baseline
//	body.go                   the bits of one ghost, in the general form
//	known.go                  the values that the peer is known to have
//	notify.go                 the fates of packets wait for the worker that packs
//	fate.go, resend.go        delivery, loss, repetition of state in flight
//	large.go                  objects that need a larger packet
//	receive.go, baseline.go   the receiving side: the general path, and the table of ghosts
//	quick.go, maskplan.go     the fast path of received updates; also bitwindow.go, residuals.go
//	change.go                 received changes: each value is stored here once, by packet
//	window.go                 the packets whose values are not baselines yet
//	idset.go                  sets of ids
//	code.go, group.go, raw.go, check.go  the encoding, one description per item; also shortbits.go
//	name.go                   names of ghosts in events
//	seen.go, log.go           what the peer is known to have, for people who look; log lines
//
// PROTOCOL.md, section Ghosts, defines the wire format.
package ghost
