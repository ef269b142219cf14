// Command torc runs servers and clients, and has the tools for mods. A node of package node
// does the work; this program has the flags, the terminal and the signals.
//
// Further tools for developers of torc are in the program cmd/torclab.
//
// # Where to read
//
//	main.go, status.go                  the subcommands; the exit status of an error
//	system.go                           the files, the environment and the signals of a run
//	options.go                          translates options to the config of a node
//	serve.go, join.go, play.go, swarm.go  which nodes a subcommand runs
//	session.go                          a node with signals
//	again_unix.go, again_other.go       starts the process anew
//	speakers.go                         says who speaks, in a terminal without sound
//	terminal.go, view.go                the prompt: lines in, text out; the world on the terminal
//	pending.go                          the client for browsers that is being built
//	replay.go, demo.go                  plays a journal or a demo again
//	rerun.go, rerunpage.go              runs the server of a journal again; in a browser
//	find.go, rendezvous.go              the local network; servers behind routers
//	fleet.go                            joins a fleet, and lists one
//	settings.go, reload.go, logfile.go  checks, shows and reads again the settings; opens the log
//	attach.go, backup.go                the console of a running server; copies and checks its store
//	dissect.go, relay.go                the packets of a capture; a bad line
//	mod.go, modcheck.go, modtest.go     tools for mods
//	modpack.go, moddebug.go, moddocs.go  packs and installs mods; an editor as debugger; the API
//	completion.go                       the completions for shells, and the manual page
package main
