// Package attach lets other processes reach the console of a server, and debug its mods.
//
// # Where to read
//
//	service.go  the requests of other processes, and the console over SSH
//	debug.go    the debugger of mods
package attach
