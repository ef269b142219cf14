// Package consoletest runs transcripts. A transcript is a file with typed lines
// and the output of the console.
//
//	# A rate outside its range is refused.
//	> net.rate 500
//	error: net.rate must be a number from 1 to 125, got "500"
//	> net.rate
//	31.25
//
// A line that begins with "> " is typed. The lines after it are the expected
// output. They end at the next typed line, at a comment (#), or at a blank line
// before either. A line of output that looks like one of these begins with a
// backslash. The test flag -update rewrites the files with the current output.
package consoletest
