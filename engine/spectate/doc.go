// Package spectate shows a game to spectators who are a fixed delay behind. It knows no connection.
//
// On a server, a Recorder follows the world, as a client with all objects in scope would. It records
// only what no client is kept from, and keeps the recording of the last time. On the client of a
// spectator, a Playback shows the recording as ghosts in a world of its own.
//
//	recorder.go  records a world, and gives out what is old enough
//	playback.go  shows a recording
//	command.go   the form of remote commands in a recording
package spectate
