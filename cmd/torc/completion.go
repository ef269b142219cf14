package main

import (
	"io"
	"regexp"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/cmd/torc/internal/manual"
)

// completion prints completions for a shell, or the manual page.
func completion(o *config.Completion, stdout io.Writer) error {
	if err := manual.Write(stdout, o.Format, commandLine()); err != nil {
		return flags.Usagef("torc completion %s: %v", o.Format, err)
	}
	return nil
}

// firstWords matches the parameters of a subcommand that begin with one of several words.
var firstWords = regexp.MustCompile(`^[a-z]+(\|[a-z]+)+`)

// commandLine describes torc's command line.
func commandLine() *manual.Program {
	p := &manual.Program{Name: "torc", Version: version, About: "a scriptable multiplayer engine host"}
	for _, s := range config.Commands {
		c := manual.Command{Name: s.Name, Params: s.Params, Help: s.Help}
		if words := firstWords.FindString(s.Params); words != "" {
			c.Words = strings.Split(words, "|")
		}
		for _, f := range s.Flags().Help() {
			c.Flags = append(c.Flags, manual.Flag(f))
		}
		p.Commands = append(p.Commands, c)
	}
	return p
}
