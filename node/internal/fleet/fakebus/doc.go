// Package fakebus is a fleet in memory and in virtual time: a World of several servers, each with a
// bus.Bus. It loses what a network loses, and keeps what a store keeps.
//
//	w := fakebus.New(time.Millisecond)
//	a, err := w.Join(bus.Server{Name: "arena-1", Key: key})
//	…
//	a.Do(bus.Send{Note: note})
//	w.Advance(2 * time.Millisecond)
//	news := b.Take()
//
// An order takes the delay of the world to the centre, and news take it again to a server. Cut
// takes the line of one server away, Die the centre, Kill a server without a word. Heal and Revive
// bring lines back: then values are loaded anew, and batches without an answer are asked again.
//
// # Where to read
//
//	world.go     time, lines, and what a test does to them
//	member.go    the bus of one server
//	presence.go  which servers live
//	talk.go      messages, questions and answers
//	values.go    values, revisions, batches and epochs
package fakebus
