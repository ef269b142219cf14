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

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/netcore"
)

// version is the version of the program. A release sets it.
var version = "0.1.0"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run does what the command line says and returns the status to end with.
func run(args []string, stdout, stderr io.Writer) int {
	name, o, err := config.Parse(args, os.LookupEnv)
	if err == nil {
		err = config.Warn(o, os.Environ())
	}
	if err == nil {
		err = subcommand(o, stdout)
	}
	var restart again
	if errors.As(err, &restart) {
		err = runAgain(restart.flags)
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help(name))
		return ended
	}
	for _, one := range separate(err) {
		fmt.Fprintln(stderr, "torc: "+strings.ReplaceAll(one.Error(), "\n", " "))
	}
	return status(err)
}

// separate returns the errors that err joins, or err itself; none for nil.
func separate(err error) (all []error) {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, one := range joined.Unwrap() {
		all = append(all, separate(one)...)
	}
	return all
}

func subcommand(o config.Options, stdout io.Writer) error {
	switch o := o.(type) {
	case *config.Serve:
		return serve(o)
	case *config.Join:
		return join(o)
	case *config.Swarm:
		return runSwarm(o)
	case *config.Play:
		return play(o)
	case *config.Relay:
		return relayLine(o, stdout)
	case *config.Find:
		return find(o, stdout)
	case *config.Query:
		return ask(o, stdout)
	case *config.FleetLook:
		return lookAtFleet(o, stdout)
	case *config.Rendezvous:
		return meet(o, stdout)
	case *config.Console:
		return attach(o)
	case *config.Dissect:
		return dissectCapture(o, stdout)
	case *config.Backup:
		return backup(o, stdout)
	case *config.Check:
		return check(o, stdout)
	case *config.Config:
		return settings(o, stdout, os.Stderr)
	case *config.Mod:
		return modTools(o, stdout)
	case *config.Replay:
		return runReplay(o, os.Stdin, stdout)
	case *config.Completion:
		return completion(o, stdout)
	}
	_, err := fmt.Fprintf(stdout, "torc %s, protocol %d, %s\n", version, netcore.ProtocolVersion, runtime.Version())
	return err
}

// help is what torc can be told, all of it or of one subcommand.
func help(of string) string {
	var parts []string
	for _, c := range config.Commands {
		if of != "" && of != c.Name {
			continue
		}
		part := fmt.Sprintf("torc %s\n    %s\n", strings.TrimSpace(c.Name+" "+c.Params), c.Help)
		for _, line := range c.Flags().Lines() {
			part += "      " + line + "\n"
		}
		parts = append(parts, part)
	}
	if of == "" {
		parts = append(parts, "torc help NAME and torc NAME --help show the help of one subcommand.\n")
		parts = slices.Insert(parts, 0, "torc is a multiplayer engine host in the style of Torque and Tribes, with mods in Lua.\n")
	}
	return strings.Join(parts, "\n")
}
