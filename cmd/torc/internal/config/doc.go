// Package config turns a command line, the environment and a file into the Options of one
// subcommand: a struct of its own for each.
//
// Each setting exists once, as a flag, which is declared once. The value comes from the command
// line. If the flag is missing there, it comes from the environment (TORC_MAX_CLIENTS is
// --max-clients), then from the TOML file named by --config, then from the default:
//
//	max-clients = 32            # keys are the names of flags
//	mod = ["hello"]             # repeatable flags are lists
//	[vars]                      # console variables; those of mods are set when they are declared
//	net.rate = 20
//
// All errors are *flags.UsageError: one sentence for the user.
//
// # Where to read
//
//	config.go                     the subcommands, and how a value is found
//	options.go                    what several subcommands share, and the options of small ones
//	server.go, client.go          the options of servers and clients
//	fleet.go                      how a fleet is reached
//	mod.go, show.go, line.go      those of torc mod, torc config and torc relay
//	values.go                     types of flags that only torc has
//	names.go                      names in the environment
//	file.go, entries.go, edit.go  the file: its settings, its keys, a change of its values
//	data.go                       the default data folder
package config
