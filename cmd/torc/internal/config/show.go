package config

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// parseConfig reads the command line of torc config, without the first word:
// check|show [serve|play] and the flags of that subcommand. The options are those of the
// subcommand, which is Target.
func parseConfig(args []string, env func(string) (string, bool)) (*Options, error) {
	if len(args) > 0 && (isHelp(args[0]) || slices.ContainsFunc(args[1:], isHelp)) {
		return &Options{Subcommand: "config"}, flag.ErrHelp
	}
	if len(args) == 0 || !slices.Contains([]string{"check", "show"}, args[0]) {
		return nil, &UsageError{"torc config needs a command: torc config check or torc config show"}
	}
	verb, target := args[0], "serve"
	if args = args[1:]; len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if target = args[0]; target != "serve" && target != "play" {
			return nil, &UsageError{fmt.Sprintf("torc config %s %q: must be serve or play", verb, target)}
		}
		args = args[1:]
	}
	o := newOptions(target)
	fs := flags(o)
	record(fs)
	words, err := parse(fs, args)
	if err != nil {
		return o, usageError(o, err)
	}
	if len(words) > 0 {
		return nil, &UsageError{fmt.Sprintf("torc config %s: unexpected argument %q", verb, words[0])}
	}
	if err := o.fill(fs, env); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Subcommand, o.Verb, o.Target = "config", verb, target
	return o, nil
}

// Show writes NAME VALUE FROM of each setting, one per line, and then of each variable of the file.
// A missing value is "-".
func (o *Options) Show(w io.Writer) error {
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
func (o *Options) At(v Var) string { return fmt.Sprintf("%s:%d", o.VarsFrom, v.Line) }

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
