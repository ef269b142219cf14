// Command torclab has what developers of torc need and players do not: workloads, attacks, planted
// faults, and the picture in the README. The program of users is cmd/torc.
//
//	main.go     the subcommands, and the help
//	tools.go    what each subcommand reads and runs
//	hidden.go   the processes that torclab starts of itself
//	program.go  the program torc for the rows that attack it
//
// docs/lab.md explains the subcommands.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// The statuses a process ends with.
const (
	ended   = 0 // as asked
	failed  = 1 // a row or a fault failed, or an error while running
	misused = 2 // wrong usage
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run does what the command line says and returns the status to end with.
func run(args []string, stdout, stderr io.Writer) int {
	about, err := dispatch(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help(about))
		return ended
	}
	if err == nil {
		return ended
	}
	fmt.Fprintln(stderr, "torclab: "+strings.ReplaceAll(err.Error(), "\n", " "))
	var usage *flags.UsageError
	if errors.As(err, &usage) {
		return misused
	}
	return failed
}

// dispatch runs a subcommand. With flag.ErrHelp, about is the subcommand to explain, or "".
func dispatch(args []string, stdout io.Writer) (about string, err error) {
	if len(args) == 0 {
		return "", flags.Usagef("torclab needs a subcommand: %s (see torclab help)", names())
	}
	if isHelp(args[0]) {
		if args = args[1:]; len(args) == 0 {
			return "", flag.ErrHelp
		}
		args = []string{args[0], "--help"}
	}
	if process, hidden := processes[args[0]]; hidden {
		return "", process(args[1:], os.Stdin, stdout)
	}
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == args[0] })
	if i < 0 {
		return "", flags.Usagef("torclab has no subcommand %q; it has %s", args[0], names())
	}
	options, set := tools[i].options(), flags.New("torclab "+args[0])
	options.Declare(set)
	words, err := set.Parse(args[1:])
	if err != nil {
		return args[0], err
	}
	return args[0], options.run(set, words, stdout)
}

// isHelp reports whether a word asks for help.
func isHelp(word string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, word)
}

func names() string {
	var all []string
	for _, t := range tools {
		all = append(all, t.name)
	}
	return strings.Join(all, ", ")
}

// help is what torclab can be told, all of it or of one subcommand.
func help(of string) string {
	var parts []string
	if of == "" {
		parts = append(parts, "torclab measures torc, attacks it, and tests its tests.\n")
	}
	for _, t := range tools {
		if of != "" && of != t.name {
			continue
		}
		set := flags.New("torclab " + t.name)
		t.options().Declare(set)
		part := fmt.Sprintf("torclab %s\n    %s\n", strings.TrimSpace(t.name+" "+t.params), t.help)
		for _, line := range set.Lines() {
			part += "      " + line + "\n"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n")
}
