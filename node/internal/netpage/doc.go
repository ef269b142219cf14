// Package netpage is the net page of a server: what its operator sees of the network in a browser.
//
//	browser ──▶ GET /net ─────────▶ Files: the page, served by package web
//	browser ──▶ GET /net/stream ──▶ Handler ──Take──▶ Source, on the goroutine that owns the game
//	        ◀── frames, 2/s ◀──────────┘
//
// The page pulls: a goroutine of each open page asks the Source for a Snapshot, encodes it, and
// sends it before it asks for the next one. So nothing is taken while nobody looks, and a slow page
// gets fewer snapshots. The goroutine of the game only fills the Snapshot.
//
// The page can choose a client and, with a Timeline, a tick and a speed. All are parameters of the
// request. It sends nothing else, so it changes nothing in the game.
//
// A Playback is the Timeline of a journal: a server that runs again, on a goroutine of its own. It
// keeps what the graphs showed in the last five minutes, and a page gets what it lacks with each
// snapshot.
//
// Access (access.go) needs the key of the link, in a header, or a browser on the same machine.
//
// Bounds: maxSamples samples of the graphs; maxPages open pages; maxConnections connections and
// maxRows objects in a snapshot; maxEvents events of mods. The page counts the rest.
//
// # A snapshot
//
//  1. The page asks for `/net/stream`. Handler checks the key in the header, or that the browser
//     runs on the same machine.
//  2. A goroutine of the page calls Source.Take twice a second. It posts Taker.Take to the
//     goroutine of the game, and waits.
//  3. Taker.Take copies the numbers of the connections. Inspector.EachGhostView
//     (engine/ghostview.go) yields the ghosts of the chosen client. Which values the client has
//     follows from acks: Stream.EachSeen and Stream.SeenCells of netcore/ghost.
//  4. The goroutine of the page encodes the snapshot and sends it.
//
// A Playback owns a replay of the journal. Its goroutine makes calls of the journal until a tick is
// reached or due, and takes snapshots between two ticks. To go back, it begins a new replay.
//
// # Where to read
//
//	open.go                 the open pages, shared by address
//	source.go, snapshot.go  where snapshots come from, and what they have
//	taker.go, details.go    fills snapshots
//	worldmap.go, row.go     the map: objects as the chosen client sees them
//	handler.go, frame.go    streams snapshots to a page, and their form
//	access.go, notes.go     the key, and the notes of who looks
//	playback.go, past.go    the page over a journal; the last five minutes
//	files.go                the files of the page
package netpage
