package config

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// Command is a subcommand of torc.
type Command struct {
	Name, Params, Help string
	options            func() Options // new ones
}

// Commands are the subcommands of torc, in the order of the help.
var Commands = []Command{
	{"play", "[--mod NAME]… [--bots N]", "run a server and a local client in one process, with the console", func() Options { return new(Play) }},
	{"serve", "[--listen HOST:PORT] [--web [HOST:PORT]] [--mod NAME]…", "run a dedicated server", func() Options { return new(Serve) }},
	{"join", "[via:]HOST[:PORT][#KEY]|LINK", "run a client; with via:, HOST:PORT is a rendezvous", func() Options { return new(Join) }},
	{"replay", "FILE [--speed N] [--seek TIME]…", "run a server again from its journal, or show a demo", func() Options { return new(Replay) }},
	{"swarm", "HOST[:PORT][#KEY] --count N", "run many headless clients in one process, for load tests", func() Options { return new(Swarm) }},
	{"find", "[--list URL]…", "list the servers on the local network, or of public lists", func() Options { return new(Find) }},
	{"query", "HOST[:PORT]", "show what a server tells everybody: name, mission, mods and number of players", func() Options { return new(Query) }},
	{"fleet", "[targets | restore FILE…] --fleet URL", "list the servers of a fleet, or their metrics for the file_sd of Prometheus; restore its values from the fleet.db of servers", func() Options { return new(FleetLook) }},
	{"rendezvous", "[--listen HOST:PORT] [--list]", "let players reach servers behind routers, and list these: run this on a machine with a public address", func() Options { return new(Rendezvous) }},
	{"relay", "HOST:PORT [--rate BITS] [--delay DURATION]…", "put a slow or lossy line between clients and a server", func() Options { return new(Relay) }},
	{"mod", "new|check|test|debug|docs|pack|install|list [NAME|DIR|FILE|URL]", "start, lint, test, debug, document, pack and install mods", func() Options { return new(Mod) }},
	{"config", "check|show [serve|play] [FLAG]…", "check the settings of a server, or show each value and its source", func() Options { return new(Config) }},
	{"dissect", "FILE [--packet N] [--json]", "show the packets of a capture field by field", func() Options { return new(Dissect) }},
	{"console", "[--data DIR] [SOCKET]", "attach a prompt to the console of a running server", func() Options { return new(Console) }},
	{"backup", "[--data DIR] FILE", "copy the mod store to a file; a running server goes on", func() Options { return new(Backup) }},
	{"check", "[--data DIR] [FILE]", "check the mod store, or a backup of it, for damage", func() Options { return new(Check) }},
	{"completion", "bash|zsh|fish|man", "print completions for a shell, or the manual page", func() Options { return new(Completion) }},
	{"version", "", "print the versions of torc, of its protocol and of Go", func() Options { return new(Version) }},
}

// moved are subcommands that torclab has.
var moved = []string{"bench", "attack", "picture"}

// Optional methods of options.
type (
	// verbal options have a second word that decides the flags. They take it from args. called is
	// the subcommand that errors about flags name.
	verbal interface {
		verb(args []string) (rest []string, called string, err error)
	}
	// configured options read the environment and the file.
	configured interface{ sources() *Sources }
	// filler options take more from what was read.
	filler interface{ filled() error }
	// clientSide options have the data folder of another role than a server's.
	clientSide interface{ role() string }
)

// Parse reads a command line without the program's name. env looks up an environment variable
// (os.LookupEnv). name is the subcommand. The error is a *flags.UsageError, or flag.ErrHelp if the
// user asked for help; then name is the subcommand to explain, or "".
func Parse(args []string, env func(string) (string, bool)) (name string, o Options, err error) {
	if len(args) == 0 {
		return "", nil, flags.Usagef("torc needs a subcommand: %s (see torc help)", names())
	}
	if isHelp(args[0]) {
		if args = args[1:]; len(args) == 0 {
			return "", nil, flag.ErrHelp
		}
		args = []string{args[0], "--help"}
	}
	name, args = args[0], args[1:]
	i := slices.IndexFunc(Commands, func(c Command) bool { return c.Name == name })
	switch {
	case slices.Contains(moved, name):
		return "", nil, flags.Usagef("torc %s is a subcommand of torclab, the program for developers of torc: torclab %[1]s", name)
	case i < 0:
		return "", nil, flags.Usagef("torc has no subcommand %q; it has %s", name, names())
	}
	o = Commands[i].options()
	return name, o, read(o, name, args, env)
}

// read fills options from the command line, the environment and the file.
func read(o Options, name string, args []string, env func(string) (string, bool)) (err error) {
	called := name
	if v, is := o.(verbal); is {
		if args, called, err = v.verb(args); err != nil {
			return err
		}
	}
	set := flags.New("torc " + called)
	o.declare(set)
	record(set)
	words, err := set.Parse(args)
	if err == nil {
		words, err = o.take(words)
	}
	switch {
	case err != nil:
		return err
	case len(words) > 0:
		return flags.Usagef("torc %s: unexpected argument %q", fullName(o, name), words[0])
	}
	if c, is := o.(configured); is {
		if err := fill(c, set, env); err != nil {
			return err
		}
	}
	return o.check()
}

// fullName returns a subcommand as typed, with its verb.
func fullName(o Options, name string) string {
	switch o := o.(type) {
	case *Mod:
		return name + " " + o.Verb
	case *Config:
		return name + " " + o.Verb
	}
	return name
}

// fill sets each flag missing on the command line from the environment, or else from the file. It
// records where each value comes from.
func fill(o configured, set *flags.Set, env func(string) (string, bool)) error {
	typed, from := map[string]bool{}, o.sources()
	set.Visit(func(f *flag.Flag) { typed[f.Name] = true })
	path, by := set.Lookup("config").Value.String(), "--config"
	if v, ok := env(envName("config")); ok && !typed["config"] {
		path, by = v, envName("config")
	}
	file := &file{path: path}
	if path != "" {
		if err := file.read(); err != nil {
			return err
		}
		from.Vars, from.VarsFrom = file.vars, path
	} else {
		by = "default"
	}
	role := "server"
	if c, is := o.(clientSide); is {
		role = c.role()
	}
	var problem error
	set.VisitAll(func(f *flag.Flag) {
		if problem != nil {
			return
		}
		if f.Name == "config" {
			from.Settings = append(from.Settings, Setting{f.Name, path, by})
			return
		}
		var s Setting
		if s, problem = fillFlag(f, typed[f.Name], file, env); s.Name == "data" && s.Value == "" {
			s.Value, _ = DataFolder(role, env) // without a home folder there is no default
		}
		from.Settings = append(from.Settings, s)
	})
	if f, is := o.(filler); is && problem == nil {
		return f.filled()
	}
	return problem
}

// fillFlag sets one flag, if it was not typed.
func fillFlag(f *flag.Flag, typed bool, file *file, env func(string) (string, bool)) (Setting, error) {
	s := Setting{Name: f.Name, Value: f.DefValue, From: "default"}
	values, inFile := file.settings[f.Name]
	if inFile {
		s.From = file.at(f.Name)
	}
	if v, ok := env(envName(f.Name)); ok {
		values, s.From = []string{v}, envName(f.Name)
	}
	if typed {
		values, s.From = f.Value.(*recorder).given, "--"+f.Name
	} else if err := setAll(f, values, s.From); err != nil {
		return s, err
	}
	if s.From != "default" {
		s.Value = strings.Join(values, ", ")
	}
	if f.Name == "password" {
		s.Value = hide(s.Value)
	}
	return s, nil
}

// setAll sets a flag to values. from is the place of the values for errors.
func setAll(f *flag.Flag, values []string, from string) error {
	if strings.Contains(from, ":") {
		from += ": " + f.Name
	}
	for _, v := range values {
		if err := f.Value.Set(v); err != nil {
			return flags.Usagef("%s = %q: %s", from, v, flags.Reason(f, err))
		}
	}
	return nil
}

// A recorder is the value of a flag that keeps the texts given.
type recorder struct {
	flag.Value
	given []string
}

// record makes the value of each flag a recorder.
func record(set *flags.Set) {
	set.VisitAll(func(f *flag.Flag) { f.Value = &recorder{Value: f.Value} })
}

// Inner returns the value of the flag itself.
func (r *recorder) Inner() flag.Value { return r.Value }

// Set sets the value and keeps the text.
func (r *recorder) Set(text string) error {
	r.given = append(r.given, text)
	return r.Value.Set(text)
}

// IsBoolFlag reports whether the flag can stand without a value.
func (r *recorder) IsBoolFlag() bool {
	b, ok := r.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// isHelp reports whether a word asks for help.
func isHelp(word string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, word)
}

func names() string {
	var all []string
	for _, c := range Commands {
		all = append(all, c.Name)
	}
	return strings.Join(all, ", ")
}

// Flags returns new flags of the subcommand, for the help.
func (c *Command) Flags() *flags.Set {
	set := flags.New(fmt.Sprint("torc ", c.Name))
	c.options().declare(set)
	return set
}

// envName is the variable in the environment for a flag.
func envName(name string) string {
	return "TORC_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
