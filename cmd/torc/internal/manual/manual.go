package manual

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Program is a program with subcommands.
type Program struct {
	Name, Version, About string
	Commands             []Command
}

// Command is a subcommand.
type Command struct {
	Name   string
	Params string   // as the help shows them
	Help   string   // one line
	Words  []string // what can follow it first; nil: anything
	Flags  []Flag
}

// Flag is a flag of a subcommand.
type Flag struct {
	Name  string // without dashes
	Param string // name of the value, or a|b|c; "" if it has none
	Help  string
}

var choicePattern = regexp.MustCompile(`^[a-z0-9]+(\|[a-z0-9]+)+$`)

// choices returns the values of a flag, if the help lists them all.
func (f Flag) choices() []string {
	if !choicePattern.MatchString(f.Param) {
		return nil
	}
	return strings.Split(f.Param, "|")
}

// places reports whether the value of a flag is a file or a folder.
func (f Flag) places() bool { return strings.Contains(f.Param, "FILE") || f.Param == "DIR" }

// Formats are the formats of Write.
var Formats = []string{"bash", "zsh", "fish", "man"}

// Write writes a program's completions or its page. format is one of Formats.
func Write(w io.Writer, format string, p *Program) error {
	text, ok := map[string]func(*Program) string{"bash": bash, "zsh": zsh, "fish": fish, "man": page}[format]
	if !ok {
		return fmt.Errorf("must be one of %s", strings.Join(Formats, ", "))
	}
	_, err := io.WriteString(w, text(p))
	return err
}

// names returns the names of all subcommands.
func (p *Program) names() (list []string) {
	for _, c := range p.Commands {
		list = append(list, c.Name)
	}
	return list
}

// quoted puts a text in single quotes for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
