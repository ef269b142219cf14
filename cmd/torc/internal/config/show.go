package config

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// Config is the options of torc config: check|show [serve|play] and the flags of that subcommand.
type Config struct {
	Verb string // check or show
	of   Options
}

// Server returns the options that torc serve and torc play share.
func (o *Config) Server() *Server { return ServerOf(o.of) }

// verb takes the verb and the subcommand that reads the settings.
func (o *Config) verb(args []string) (rest []string, called string, err error) {
	if len(args) > 0 && (isHelp(args[0]) || slices.ContainsFunc(args[1:], isHelp)) {
		return nil, "", flag.ErrHelp
	}
	if len(args) == 0 || !slices.Contains([]string{"check", "show"}, args[0]) {
		return nil, "", flags.Usagef("torc config needs a command: torc config check or torc config show")
	}
	o.Verb, args = args[0], args[1:]
	target := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		target, args = args[0], args[1:]
	}
	switch target {
	case "serve":
		o.of = new(Serve)
	case "play":
		o.of = new(Play)
	default:
		return nil, "", flags.Usagef("torc config %s %q: must be serve or play", o.Verb, target)
	}
	return args, target, nil
}

// declare declares the flags of the subcommand that reads the settings, or --config for the help.
func (o *Config) declare(s *flags.Set) {
	if o.of == nil {
		new(Sources).declare(s)
		return
	}
	o.of.declare(s)
}

func (o *Config) take(words []string) ([]string, error) { return words, nil }
func (o *Config) check() error                          { return o.of.check() }
func (o *Config) sources() *Sources                     { return &o.Server().Sources }
func (o *Config) filled() error                         { return o.Server().filled() }

// Show writes NAME VALUE FROM of each setting, one per line, and then of each variable of the file.
// A missing value is "-".
func (o *Sources) Show(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range o.Settings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, shown(s.Value), s.From)
	}
	for _, v := range o.Vars {
		fmt.Fprintf(table, "%s\t%s\t%s\n", v.Name, shown(shownVar(v)), o.At(v))
	}
	return table.Flush()
}

// shownVar returns the value of a variable, without a password.
func shownVar(v Var) string {
	if v.Name == "sv.password" {
		return hide(v.Value)
	}
	return v.Value
}

// hide returns what can be shown of a password: @FILE, and no text.
func hide(password string) string {
	if password == "" || strings.HasPrefix(password, "@") {
		return password
	}
	return "(hidden)"
}

// At returns the place of a variable: FILE:LINE.
func (o *Sources) At(v Var) string { return fmt.Sprintf("%s:%d", o.VarsFrom, v.Line) }

// shown returns a value on one line, in quotes if it needs them.
func shown(value string) string {
	switch {
	case value == "":
		return "-"
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) || strings.TrimSpace(value) != value:
		return fmt.Sprintf("%q", value)
	}
	return value
}
