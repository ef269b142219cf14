// Command torc is the edge of the engine: it has the clock, the socket, the terminal and the files,
// and hands all of them as values to cores that know none.
//
//	main.go      what was typed, and the status the process ends with
//	serve.go, join.go, play.go   which sides there are and how they reach each other
//	swarm.go, drone.go           many clients at once, which go round by themselves
//	attach.go    the console of a server that runs already
//	wire.go      one side put together: console, scripts, game, engine
//	run.go       the loop that owns everything; pace.go keeps its time
//	commands.go  what only the edge can do at a console; rights.go who may, and who did
//	storage.go   the store of a server; backup.go copies and checks it from outside
//	measure.go   figures for programs that watch; bench.go the workloads
//	trial.go     tests before a reload; mod*.go what torc mod does
//	view.go      the world on the terminal, in the place of the prompt
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/netcore"
)

const version = "0.1.0"

// answerTimeout is the prompt's timeout for completions; 0 is the prompt's default. Tests set it.
var answerTimeout time.Duration

// The statuses a process ends with.
const (
	ended       = 0 // as asked
	failed      = 1 // while running, or thrown out
	misused     = 2 // wrong usage
	unconnected = 3 // no connection came to be
)

// failure is an error that decides the process's status.
type failure struct {
	status int
	error
}

func (f failure) Unwrap() error { return f.error }

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run does what the command line says and returns the status to end with.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := config.Parse(args, os.LookupEnv)
	if err == nil {
		err = subcommand(o, stdout)
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help(o.Subcommand))
		return ended
	}
	if err != nil {
		fmt.Fprintln(stderr, "torc: "+strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return status(err)
}

func subcommand(o *config.Options, stdout io.Writer) error {
	switch o.Subcommand {
	case "serve":
		return serve(o)
	case "join":
		return join(o)
	case "swarm":
		return runSwarm(o)
	case "play":
		return play(o)
	case "bench":
		return measure(o, stdout)
	case "console":
		return attach(o)
	case "backup":
		return backup(o, stdout)
	case "check":
		return check(o, stdout)
	case "mod":
		return modTools(o, stdout)
	}
	_, err := fmt.Fprintf(stdout, "torc %s, protocol %d, %s\n", version, netcore.ProtocolVersion, runtime.Version())
	return err
}

func status(err error) int {
	var f failure
	var usage *config.Usage
	switch {
	case err == nil:
		return ended
	case errors.As(err, &usage):
		return misused
	case errors.As(err, &f):
		return f.status
	}
	return failed
}

// help is what torc can be told, all of it or of one subcommand.
func help(of string) string {
	var parts []string
	for _, s := range config.Subcommands {
		if of != "" && of != s.Name {
			continue
		}
		part := fmt.Sprintf("torc %s\n    %s\n", strings.TrimSpace(s.Name+" "+s.Params), s.Help)
		for _, line := range config.Names(s.Name) {
			part += "      " + line + "\n"
		}
		parts = append(parts, part)
	}
	if of == "" {
		parts = append(parts, "torc help NAME, or torc NAME --help, says this of one of them.\n")
		parts = slices.Insert(parts, 0, "torc is a network engine for games in the manner of Tribes, with mods in Lua.\n")
	}
	return strings.Join(parts, "\n")
}
