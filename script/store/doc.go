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
// # Values that several servers share
//
// Each mod has a second set of values, the global shared. Without a fleet it is beside the first
// one in the Store of the server. With a fleet (Storage.Share) all servers have it:
//
//	shared:put(key, value) ──► shares ──► Change, with the revision that the mod saw ──► Fleet
//	                             ▲                                                        │
//	  done, get, onShared ◄──────┴───────────────────── News ◄────────────────────────────┘
//
// A read never waits for the fleet. Each change says which revision of its key the mod saw when it
// was made, and the fleet refuses the change if that is not the newest one. The newest revision
// that this server knows would be the wrong one: the mod may have decided before that revision
// came. While own changes of a key wait, the mod sees them, and what other servers write to the key
// waits too. A change that builds on a failed one fails. A set has one batch at a time with the
// fleet; what is changed meanwhile is the next batch, and the changes of a tick stay together while
// a batch has room for them.
//
// All of it depends only on ticks and News, so a journal replays.
//
// # Where to read
//
//	storage.go    the values in memory, the queue and the batches; the Store that a program gives
//	fleet.go      the Fleet that a program gives
//	shares.go     the sets that a fleet shares: changes, news and outcomes
//	sharedset.go  one of these sets, and its batches
//	arrival.go    all values of a set, which come in parts
//	attempt.go    updates and claims, which are tried again; onShared
//	claim.go      how a claim is kept, and why there are never two holders
//	saves.go      what has changed, for a copy on the disk
//	code.go       the encoding of values
//	fields.go     tables of texts, for Go
//	lib.go        the functions of Lua
//	command.go    the console command store
//	memory.go     a Store in memory, for tests
package store
