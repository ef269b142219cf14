package main

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/netcore"
)

// version is the version of the program. A release sets it.
var version = "0.1.0"

func main() {
	sys := ofProcess()
	sys.exit(sys.run())
}

// run does what the command line says and returns the status to end with.
func (sys *system) run() int {
	name, o, err := config.Parse(sys.args, sys.lookup)
	if err == nil {
		err = config.Warn(o, sys.environ)
	}
	if err == nil {
		err = sys.subcommand(o)
	}
	var restart again
	if errors.As(err, &restart) {
		err = sys.again(restart.flags)
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(sys.out, help(name))
		return ended
	}
	for _, one := range separate(err) {
		fmt.Fprintln(sys.err, "torc: "+strings.ReplaceAll(one.Error(), "\n", " "))
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

func (sys *system) subcommand(o config.Options) error {
	stdout := sys.out
	switch o := o.(type) {
	case *config.Serve:
		return sys.serve(o)
	case *config.Join:
		return sys.join(o)
	case *config.Swarm:
		return sys.swarm(o)
	case *config.Play:
		return sys.play(o)
	case *config.Relay:
		return sys.relay(o)
	case *config.Find:
		return find(o, stdout)
	case *config.Query:
		return ask(o, stdout)
	case *config.FleetLook:
		return lookAtFleet(o, stdout)
	case *config.Rendezvous:
		return sys.rendezvous(o)
	case *config.Console:
		return sys.attach(o)
	case *config.Dissect:
		return dissectCapture(o, stdout)
	case *config.Backup:
		return sys.backup(o)
	case *config.Check:
		return sys.check(o)
	case *config.Config:
		return sys.settings(o)
	case *config.Mod:
		return sys.modTools(o)
	case *config.Replay:
		return sys.replay(o)
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
