// Package bus is what joins the servers of a fleet, as one of them sees it: orders go in, news come
// out, and nothing waits.
//
//	loop of a server ── Do(Order) ──► Bus ──► the other servers
//	                 ◄── Take() []News ──
//
// The loop gives orders and takes news between two ticks. A Bus works on goroutines of its own, so
// a fleet that is slow, dead or hostile costs the loop no time. News are data without pointers into
// the bus: they pass the tape of the server, and a replay takes them from a journal.
//
// There are three kinds of data. Presence says which servers live. A message reaches those who live
// now, at most once. A value is kept, and all servers have it.
//
// # Where to read
//
//	bus.go       the seam: Bus, orders and news
//	presence.go  a server as the others see it
//	value.go     values: keys, revisions, batches, and what becomes of them
package bus
