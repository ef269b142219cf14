// Package fleet is the other servers that a server knows: its peers, and those of its fleet.
//
//	--peer NAME=HOST:PORT#KEY ──► Peer ──► Ticketing: seals and opens tickets, with the clock
//	                                  └──► asking: asks the servers for their numbers each 5 s
//	--fleet URL ──► Joins.Open ──► bus.Bus ── news ──► tape ──► Hear ──► handlers
//	                                  ◄── orders ── do, commit
//
// A server without peers and without a fleet asks nobody and takes nobody. All that comes from
// outside passes the tape: what the tickets say, the sealed tickets, the numbers of the servers,
// and the news of the fleet. The secret that two servers share does not: it never changes, so every
// reader of a journal could forge their tickets with it.
//
// # News
//
// Before each tick, listen takes the news of the bus. In front of the tape, admits bounds what
// strangers send, so that a flood is neither in the journal nor in the game. Behind it, Hear passes
// the news to the handlers, in the server as in its replay. A replay has no bus: its orders go
// nowhere. Handlers run between two ticks and call no mod. Calls of mods wait for BeginTick
// (inTick).
//
// # Presence
//
// The server tells the fleet about itself each 2 s, in its loop: a loop that hangs is not present.
// The list of the others is that of presence while the line is up. While it is down, the last list
// counts, and the answers to queries say who is silent. When the line is back, a server that is
// missing counts for 6 s more: the list of a fleet that was away is empty at first. A peer that is
// also present is one server, under the name and the address that the operator has given. Its key
// makes it the same.
//
// # Shared values
//
// script/store knows the values of mods, and decides what each change is compared with. This
// package decides which bucket of the fleet counts, and when a holder of claims is gone. An empty
// bucket or an older copy of it does not count: taking it would lose what this server has. So the
// server keeps its own values, holds its changes back and says so, until a bucket with a higher
// epoch comes (torc fleet restore). That one is taken whole. The newest values are also in a copy
// on the disk (CopyName). It is written behind the game, at most each 5 s and at the end, with the
// changes that were not sent.
//
// # Lists
//
//	bus ── Loaded, Changed ──► intake ──► tape ──► lists ──► Lists of the server (bans, mutes, …)
//	    ◄── Commit ─────────────────── order ◄── PutEntry, RemoveEntry ◄── commands
//
// The fleet has bans, mutes, allowed players and roles. Their entries are data of strangers: intake
// bounds their number by the server that says it has written them, and their rate, before anything
// is in the journal or costs the loop time. Lists that do not count are held back as shared values
// are, so a NATS that was wiped lifts no ban. At the start, joins wait until the lists are read
// (Recall), or for 3 s. Then the copy on the disk counts.
//
// An entry that the operator adds counts here at once. One that the operator removes counts until
// the fleet has removed it. A change is compared with the entry that the operator has seen (Shown).
// A change that the fleet does not take ends with HereOnly, so the caller can let it hold on this
// server.
//
// Entries whose time is over are removed an hour later, by one server (sweep).
//
// # Where to read
//
//	peer.go       a peer, and the text of its flag
//	joins.go      how a server joins its fleet, and leaves it
//	service.go    the service of a server
//	news.go       the way of the news and of the orders
//	self.go       what a server tells about itself
//	presence.go   who lives
//	stranger.go   limits of what other servers say about themselves
//	servers.go    the list that mods see, and its changes
//	values.go     the values that mods share: which bucket counts, who is gone
//	life.go       which bucket counts
//	lists.go      the lists: what counts, the copy, and how joins wait
//	entry.go      an entry of a list, and its encoding
//	intake.go     the bounds of the lists, in front of the tape
//	writers.go    who has written how many entries
//	sweep.go      entries whose time is over are removed
//	listchange.go changes of the operator, on their way to the fleet
//	copyfile.go   the copy of the values and the lists on the disk, and its format
//	saving.go     writing the copy
//	restore.go    copies of several servers, for a bucket that was lost
//	ticketing.go  tickets
//	asking.go     the queries
//	talk.go       messages and questions of mods
//	onward.go     where the players of a draining server go
//	transfer.go   the command transfer
//	report.go     the command fleet, and what metrics tell
package fleet
