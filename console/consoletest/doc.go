// Package consoletest runs transcripts: what is typed at a console and what it
// answers, as a file that reads like a session.
//
//	# A rate outside its range is refused.
//	> net.rate 500
//	error: net.rate must be a number from 1 to 125, got "500"
//	> net.rate
//	31.25
//
// A line that begins "> " is typed; what follows, up to the next such line, a
// comment (#) or a blank line before either, is the expected output. A line of
// output that would look like one of these begins with a backslash. Run with
// -update rewrites the files as the console answers now.
package consoletest
