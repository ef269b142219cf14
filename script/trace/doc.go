// Package trace prints the calls of chosen mods: into the mod, from it into other mods, and the commands that it
// sends, with arguments, results, counted steps and milliseconds.
//
// A trace prints at most 40 lines and 16 KiB per second of simulation time, and counts the others. It does
// not format what it does not print. Without a traced mod the runtime has no tracer.
package trace
