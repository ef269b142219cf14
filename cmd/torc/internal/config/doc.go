// Package config turns a command line, the environment and a file into the Options of one
// subcommand.
//
// Each setting exists once, as a flag. The value comes from the command line. If the flag is
// missing there, it comes from the environment (TORC_MAX_CLIENTS is --max-clients), then from the
// TOML file named by --config, then from the default:
//
//	max-clients = 32            # keys are the names of flags
//	mod = ["hello"]             # repeatable flags are lists
//	[vars]                      # console variables; those of mods are set when they are declared
//	net.rate = 20
//
// All errors are *UsageError: one sentence for the user.
package config
