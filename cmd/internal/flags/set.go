package flags

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/torc-engine/torc/internal/spell"
)

// UsageError is an error in the command line or the configuration, as one sentence.
type UsageError struct{ Text string }

func (u *UsageError) Error() string { return u.Text }

// Usagef returns a *UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// Set is the flags of one subcommand.
type Set struct {
	*flag.FlagSet
	command string // as typed: "torc serve"
}

// New returns a set without flags. command is the subcommand as typed, with the program: "torc
// serve".
func New(command string) *Set {
	s := &Set{flag.NewFlagSet(command, flag.ContinueOnError), command}
	s.SetOutput(io.Discard)
	return s
}

// Parse reads a command line without the subcommand. It returns the words that belong to no flag.
// The error is a *UsageError, or flag.ErrHelp if the user asked for help.
func (s *Set) Parse(args []string) (words []string, err error) {
	args = s.joinOptional(args)
	for {
		if err := s.FlagSet.Parse(args); err != nil {
			return nil, s.usageError(err)
		}
		rest := s.Args()
		if len(rest) == 0 {
			return words, nil
		}
		if used := len(args) - len(rest); used > 0 && args[used-1] == "--" {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// Unexpected returns the error for a word that the subcommand does not take.
func (s *Set) Unexpected(word string) error {
	return Usagef("%s: unexpected argument %q", s.command, word)
}

// optional is a value of a flag that can stand without it.
type optional interface {
	takes(word string) bool // whether the next word is the value
}

// joinOptional joins a flag that can stand without a value with its value: --web :80 becomes
// --web=:80. Package flag would take the value for another word.
func (s *Set) joinOptional(args []string) (joined []string) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return append(joined, args[i:]...)
		}
		if f := s.Lookup(strings.TrimLeft(word, "-")); f != nil && strings.HasPrefix(word, "-") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			switch o, is := Inner(f.Value).(optional); {
			case is && o.takes(args[i]):
				word += "=" + args[i]
			case isBool(f.Value):
				i--
			default:
				joined = append(joined, word)
				word = args[i]
			}
		}
		joined = append(joined, word)
	}
	return joined
}

// Inner returns the value that another one wraps.
func Inner(v flag.Value) flag.Value {
	if w, is := v.(interface{ Inner() flag.Value }); is {
		return Inner(w.Inner())
	}
	return v
}

// isBool reports whether a flag can stand without a value.
func isBool(v flag.Value) bool {
	b, is := v.(interface{ IsBoolFlag() bool })
	return is && b.IsBoolFlag()
}

// Names returns the names of all flags, sorted.
func (s *Set) Names() (names []string) {
	s.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// Help is what the help says of a flag.
type Help struct {
	Name  string // without dashes
	Param string // "" if the flag has no value
	Help  string
}

// Help returns what the help says of each flag, sorted by name.
func (s *Set) Help() (all []Help) {
	s.VisitAll(func(f *flag.Flag) {
		param, help := flag.UnquoteUsage(f)
		all = append(all, Help{f.Name, param, strings.TrimPrefix(help, param+": ")})
	})
	return all
}

// Lines returns the flags as lines of the help.
func (s *Set) Lines() (lines []string) {
	for _, f := range s.Help() {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("--%-32s %s", f.Name+" "+f.Param, f.Help)))
	}
	return lines
}

var (
	undefined = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
	missing   = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
	invalid   = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+?): (.*)$`)
)

// usageError translates errors of package flag.
func (s *Set) usageError(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	text := err.Error()
	if m := undefined.FindStringSubmatch(text); m != nil {
		words := strings.Fields(s.command)
		return Usagef("%s has no flag --%s%s (%s help %s lists them)", s.command, m[1], Suggestion("--", m[1], s.Names()), words[0], words[1])
	}
	if m := missing.FindStringSubmatch(text); m != nil {
		return Usagef("--%s needs a value", m[1])
	}
	if m := invalid.FindStringSubmatch(text); m != nil {
		return Usagef("--%s %s: %s", m[2], m[1], Reason(s.Lookup(m[2]), errors.New(m[3])))
	}
	return &UsageError{text}
}

// Reason returns a useful error for booleans and durations. Package flag says only "parse error".
func Reason(f *flag.Flag, err error) string {
	if err.Error() != "parse error" {
		return err.Error()
	}
	if isBool(f.Value) {
		return "must be true or false"
	}
	return "must be a duration, for example 15s or 10m"
}

// Suggestion returns ", did you mean NAME?" with the name closest to a misspelt one, or "".
func Suggestion(prefix, name string, among []string) string {
	if near := spell.Nearest(name, among); near != "" {
		return ", did you mean " + prefix + near + "?"
	}
	return ""
}
