// Package store keeps the stored values of mods.
//
// The stored values of a mod are in memory under the mod's name, and survive a reload. At the end
// of a tick its changes go to a Store as one batch. At most two batches are in progress. On the
// tick after the disk has written a batch, its done callbacks run. A failed batch restores the
// previous values where that is safe, and done gets the reason. Values have a canonical encoding:
// equal values have equal bytes. A read never waits for a disk, and works while the disk fails.
// Therefore the size of stored values is limited. All changes of a tick are one batch, because a
// sync costs the same for one value and for a thousand.
//
//	store:put(key, value) ──► Storage ──► Write, queued ──► Store (a disk)
//	                             ▲                            │
//	      done(ok, err) ◄────────┴──────── Outcome ◄──────────┘
//
// # Where to read
//
//	storage.go   the values in memory, the queue and the batches; the Store that a program gives
//	code.go      the encoding of values
//	lib.go       the functions of Lua
//	command.go   the console command store
//	memory.go    a Store in memory, for tests
package store
