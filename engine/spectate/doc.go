// Package spectate records games and shows the recordings. It knows no connection.
//
// On a server, a Recorder follows the world, as a client with all objects in scope would. It records
// only what no client is kept from, and keeps the recording of the last time, for spectators who are a
// fixed delay behind. On the client of a spectator, a Playback shows the recording as ghosts in a world of
// its own.
//
// A Demo records for a file. On a server it takes all of the world, on a client all ghosts. A Film plays
// such a file from any tick on.
//
//	recorder.go  records a world, and gives out what is old enough
//	demo.go      records for a file; ghosts.go what a client sees
//	playback.go  shows a recording
//	film.go      plays a file
//	command.go   the form of remote commands in a recording
package spectate
