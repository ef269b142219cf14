// Package natsfleet is a bus.Bus over NATS with JetStream: it joins the servers of a fleet.
//
//	loop ── Do ──► outbox ──► talker, presenter, writer of each bucket ──► NATS
//	     ◄─ Take ─ inbox ◄── receiver, watcher of the servers and of each group ◄──
//
// The loop touches two queues and never the connection. Both queues are bounded by owner: a mod or
// another server that floods loses its own orders and messages first. The loop takes at most 512
// values or 1 MiB at once, and one batch or list that is larger. All values of a mod come in parts.
// Groups take turns, so one that is flooded delays neither the loop nor the others. Its watcher
// stops reading while the loop has not taken its news, and NATS keeps them. Watchers look at the
// bytes of values, too: the loop does not pay for what strangers write. They ask NATS for what is
// new at most each 40 ms, because 50 servers that get each change alone keep two cores busy.
//
// # A value
//
// A bucket is a stream with one message for each key, as the program nats shows it under "kv". The
// number of a message in the stream is the revision of the value. The first bytes of a message name
// the server that wrote it.
//
//   - A batch is one atomic publish. Each message carries the revision that its key must have: the
//     one which the writer saw.
//   - The last message of a batch is the record of the server: one key for each server, with the
//     number of its newest batch. A batch without an answer can still land. The record says whether
//     it has, also after another server has changed its values. The record carries a revision, too.
//     So of two tries to publish a batch one lands at most.
//   - A deleted key keeps a message without data. A writer that saw no value agrees with it.
//
// The record of the epoch names the life of a bucket. The first server makes it together with the
// bucket. A bucket without one, with another one that is not higher, or with an older revision than
// one that was seen is refused, until Restore gives it a higher epoch.
//
// # Trust
//
// Everything from NATS was written by a stranger: each decoder checks lengths before it copies,
// and data that it refuses is counted and named once. Members of a fleet are told apart by the
// subjects under which they publish. Only the permissions of NATS keep a member from the subjects
// of another one.
//
// # Where to read
//
//	config.go    how a server reaches NATS
//	bus.go       Bus: its parts, orders, the end
//	line.go      the connection, and what the operator is told about it
//	inbox.go     news for the loop
//	queue.go     news of groups, which take turns
//	outbox.go    batches that wait
//	wire.go      bytes of fields, and the names of subjects
//	letter.go    the encodings of messages, values, records and servers
//	api.go       requests to JetStream
//	bucket.go    a bucket: its settings and its epoch
//	restore.go   Restore
//	watch.go     reading a bucket, in order
//	follow.go    the groups that the loop follows
//	fair.go      how servers share a list that is full
//	standing.go  entries of lists that NATS itself has overwritten
//	writer.go    batches: writing, and what became of them
//	presence.go  which servers live
//	talk.go      messages, questions and answers
//	tally.go     what was dropped
package natsfleet
