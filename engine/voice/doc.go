// Package voice has the rules of real-time voice: which frames of a talker count, who hears whom,
// and how much of a line voices take. It never decodes a frame, and knows neither connections nor
// the world: package engine asks it.
//
//	talker ──Frame──► Intake ──(engine: audience)──► Hearing of each listener ──► its line
//
// A frame is 20 ms of Opus, 1 to 160 bytes. A client numbers its frames; the numbers count in 20 ms
// and go round after 256.
//
// # Decisions
//
//   - A frame that breaks a rule is dropped and counted, and its talker stays connected. Only a
//     length outside 1…160 ends a connection, because such an event cannot be read.
//   - A listener hears at most four talkers at a time, so voices have a bounded price for lines and
//     for programs that decode. Hearing chooses them: the nearest first, then the team, then the
//     loudest. A server does not decode, so loud means large frames: Opus gives silence few bytes.
//   - No address takes the places of others. If the four places are contested, a talker of an
//     address with more of them than another one makes room.
//   - A narrow line gives voices a quarter at most, and a single talker the rest that it needs.
//     Below 48 kbit/s there is no voice.
//
// # Where to read
//
//	rules.go    modes, channels and ranges
//	frame.go    a frame, its bits, and what Opus says of itself
//	intake.go   the frames of one talker: their order and budget
//	hearing.go  the talkers of one listener
//	line.go     the share of a line
package voice
