// Package spectate records games and shows the recordings. It knows no connection.
//
// On a server, a Recorder follows the world, as a client with all objects in scope would. It
// records only what no client is kept from, and keeps the recording of the last time, for
// spectators who are a fixed delay behind. On the client of a spectator, a Playback shows the
// recording as ghosts in a world of its own.
//
// A Demo records for a file. On a server it takes all of the world, on a client all ghosts. A Film
// plays such a file from any tick on.
//
// # A spectator
//
//  1. The introduction of a spectator has the role 1. joinRequests.decide checks the places for
//     spectators instead of those for players. Scripts only get the connect request.
//  2. While `sv.maxWatchers` is above 0, the host keeps a Recorder. It counts as a viewer of every
//     object that is kept from no client, so the snapshots pass each changed group to it. The
//     entries of 16 ticks become a chunk of a recording.History, and every 10 s the whole state
//     becomes one.
//  3. The chunks that are older than `sv.watchDelay` travel as descriptions (Watching.send). A new
//     spectator gets the newest such state first, and so does one whose line was too slow.
//  4. On the client, a Playback plays one tick of the recording per tick. It makes ghosts and sets
//     their fields as updates would. Scripts receive the commands of the recording.
//
// # Where to read
//
//	recorder.go  records a world, and gives out what is old enough
//	demo.go      records for a file; ghosts.go what a client sees
//	playback.go  shows a recording
//	film.go      plays a file
//	command.go   the form of remote commands in a recording
package spectate
