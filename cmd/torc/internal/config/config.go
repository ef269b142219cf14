package config

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Parse reads a command line without the program's name. env looks up an environment variable
// (os.LookupEnv). The error is a *Usage, or flag.ErrHelp if the user asked for help. With
// flag.ErrHelp, the options name the subcommand to explain, or none.
func Parse(args []string, env func(string) (string, bool)) (*Options, error) {
	if len(args) == 0 {
		return nil, &UsageError{"torc needs a subcommand: " + names() + " (see torc help)"}
	}
	if isHelp(args[0]) {
		if args = args[1:]; len(args) == 0 {
			return &Options{}, flag.ErrHelp
		}
		args = []string{args[0], "--help"}
	}
	if slices.Contains(moved, args[0]) {
		return nil, &UsageError{fmt.Sprintf("torc %s is a subcommand of torclab, the program for developers of torc: torclab %[1]s", args[0])}
	}
	if !known(args[0]) {
		return nil, &UsageError{fmt.Sprintf("torc has no subcommand %q; it has %s", args[0], names())}
	}
	if args[0] == "config" {
		return parseConfig(args[1:], env)
	}
	o := newOptions(args[0])
	args = args[1:]
	if o.Subcommand == "mod" {
		var err error
		if args, err = o.verb(args); err != nil {
			return o, err
		}
	}
	fs := flags(o)
	record(fs)
	words, err := parse(fs, args)
	if err != nil {
		return o, usageError(o, err)
	}
	if err := o.positional(words); err != nil {
		return nil, err
	}
	if slices.Contains([]string{"version", "completion", "relay", "mod", "find", "query", "rendezvous", "replay", "dissect"}, o.Subcommand) {
		return o, nil // these subcommands read no settings
	}
	if err := o.fill(fs, env); err != nil {
		return nil, err
	}
	return o, o.check()
}

// newOptions returns the options of a subcommand with the defaults that flags do not set.
func newOptions(subcommand string) *Options {
	return &Options{Subcommand: subcommand, MaxClients: 128, Console: "auto", LogFormat: "text", LogMaxSize: 100, LogMaxAge: 30}
}

// parse accepts flags before, between and after other words. It returns the other words.
func parse(fs *flag.FlagSet, args []string) (words []string, err error) {
	args = joinOptional(fs, args)
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		rest := fs.Args()
		if len(rest) == 0 {
			return words, nil
		}
		if used := len(args) - len(rest); used > 0 && args[used-1] == "--" {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// joinOptional joins a flag that can stand without a value with its value: --web :80 becomes --web=:80.
// Package flag would take the value for another word.
func joinOptional(fs *flag.FlagSet, args []string) (joined []string) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return append(joined, args[i:]...)
		}
		if f := fs.Lookup(strings.TrimLeft(word, "-")); f != nil && strings.HasPrefix(word, "-") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			switch a, optional := f.Value.(*recorder).Value.(optionalAddress); {
			case optional && a.takes(args[i]):
				word += "=" + args[i]
			case f.Value.(*recorder).IsBoolFlag():
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

func (o *Options) positional(words []string) error {
	if o.Subcommand == "join" || o.Subcommand == "swarm" || o.Subcommand == "query" {
		if len(words) == 0 {
			return &UsageError{fmt.Sprintf("torc %s needs the server's address: torc %[1]s HOST[:PORT]%[2]s", o.Subcommand, keyForm[o.Subcommand != "query"])}
		}
		o.Address, words = words[0], words[1:]
	}
	if o.Subcommand == "relay" && len(words) == 0 {
		return &UsageError{"torc relay needs the server's address: torc relay HOST:PORT"}
	}
	if o.Subcommand == "relay" && len(words) > 0 {
		o.Address, words = words[0], words[1:]
	}
	if o.Subcommand == "backup" && len(words) == 0 {
		return &UsageError{"torc backup needs the file to write: torc backup FILE"}
	}
	if o.Subcommand == "dissect" && len(words) == 0 {
		return &UsageError{"torc dissect needs the capture to read: torc dissect FILE"}
	}
	if o.Subcommand == "replay" && len(words) == 0 {
		return &UsageError{"torc replay needs the journal or the demo to play: torc replay FILE"}
	}
	if slices.Contains([]string{"backup", "check", "dissect", "replay"}, o.Subcommand) && len(words) > 0 {
		o.File, words = words[0], words[1:]
	}
	if o.Subcommand == "console" && len(words) > 0 {
		o.Socket, words = words[0], words[1:]
	}
	if o.Subcommand == "completion" && len(words) > 0 {
		o.Format, words = words[0], words[1:]
	}
	if o.Subcommand == "mod" {
		var err error
		if words, err = o.target(words); err != nil {
			return err
		}
	}
	if len(words) > 0 {
		return &UsageError{fmt.Sprintf("torc %s: unexpected argument %q", o.command(), words[0])}
	}
	return nil
}

// keyForm is what can follow an address, by whether the subcommand checks the key.
var keyForm = map[bool]string{true: "[#KEY]"}

// command returns the subcommand as typed.
func (o *Options) command() string { return strings.TrimSpace(o.Subcommand + " " + o.Verb) }

// fill sets each flag missing on the command line from the environment, or else from the file. It
// records where each value comes from.
func (o *Options) fill(fs *flag.FlagSet, env func(string) (string, bool)) error {
	typed := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { typed[f.Name] = true })
	path, from := fs.Lookup("config").Value.String(), "--config"
	if v, ok := env(envName("config")); ok && !typed["config"] {
		path, from = v, envName("config")
	}
	file := &file{path: path}
	if path != "" {
		if err := file.read(); err != nil {
			return err
		}
		o.Vars, o.VarsFrom = file.vars, path
	} else {
		from = "default"
	}
	var problem error
	fs.VisitAll(func(f *flag.Flag) {
		if problem != nil {
			return
		}
		if f.Name == "config" {
			o.Settings = append(o.Settings, Setting{f.Name, path, from})
			return
		}
		problem = o.fillFlag(f, typed[f.Name], file, env)
	})
	if problem != nil {
		return problem
	}
	return o.fillPassword()
}

// fillPassword takes the server's password from the table [vars], unless a flag overrides it.
func (o *Options) fillPassword() error {
	if o.Subcommand != "serve" && o.Subcommand != "play" || o.Overridden("sv.password") != "" {
		return nil
	}
	for _, v := range o.Vars {
		if v.Name != "sv.password" {
			continue
		}
		if err := (password{&o.Password}).Set(v.Value); err != nil {
			return &UsageError{fmt.Sprintf("%s: [vars] %s %v", o.At(v), v.Name, err)}
		}
	}
	return nil
}

// fillFlag sets one flag, if it was not typed.
func (o *Options) fillFlag(f *flag.Flag, typed bool, file *file, env func(string) (string, bool)) error {
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
		return err
	}
	if s.From != "default" {
		s.Value = strings.Join(values, ", ")
	}
	if f.Name == "data" && s.Value == "" {
		s.Value, _ = DataFolder(o.role(), env) // without a home folder there is no default
	}
	if f.Name == "password" {
		s.Value = hide(s.Value)
	}
	o.Settings = append(o.Settings, s)
	return nil
}

// role is the role of the default data folder.
func (o *Options) role() string {
	if o.Subcommand == "join" || o.Subcommand == "swarm" || o.Subcommand == "replay" {
		return "client"
	}
	return "server"
}

// setAll sets a flag to values. from is the place of the values for errors.
func setAll(f *flag.Flag, values []string, from string) error {
	if strings.Contains(from, ":") {
		from += ": " + f.Name
	}
	for _, v := range values {
		if err := f.Value.Set(v); err != nil {
			return &UsageError{fmt.Sprintf("%s = %q: %s", from, v, reason(f, err))}
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
func record(fs *flag.FlagSet) {
	fs.VisitAll(func(f *flag.Flag) { f.Value = &recorder{Value: f.Value} })
}

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

func (o *Options) check() error {
	if !strings.Contains(o.Listen, ":") && o.Subcommand == "serve" {
		return &UsageError{fmt.Sprintf("--listen %q must be HOST:PORT, for example :28000", o.Listen)}
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		return &UsageError{"--tls-cert and --tls-key need each other"}
	}
	if o.TLSDomain != "" && o.TLSCert != "" {
		return &UsageError{"--tls and --tls-cert exclude each other"}
	}
	if o.Web == "" && (o.TLSCert != "" || o.TLSDomain != "" || len(o.WebOrigins)+len(o.WebProxies)+len(o.WebRTC) > 0) {
		return &UsageError{"--tls, --tls-cert, --web-origin, --web-proxy and --web-rtc need --web"}
	}
	if slices.Contains(o.WebRTC, NoRTC) && len(o.WebRTC) > 1 {
		return &UsageError{"--web-rtc: off excludes IP addresses"}
	}
	if o.Subcommand == "join" || o.Subcommand == "swarm" {
		if host, _, _ := strings.Cut(o.Address, "#"); host == "" || strings.LastIndex(host, ":") == 0 {
			return &UsageError{fmt.Sprintf("the address %q must be HOST[:PORT][#KEY], for example 127.0.0.1:28000", o.Address)}
		}
		if o.Timeout <= 0 {
			return &UsageError{fmt.Sprintf("--timeout %v: must be more than 0, for example 15s", o.Timeout)}
		}
	}
	if o.Subcommand == "swarm" {
		if o.Count == 0 {
			return &UsageError{"torc swarm needs the number of clients: --count N"}
		}
		if o.For < 0 {
			return &UsageError{fmt.Sprintf("--for %v: must be 0 or more, for example 10m", o.For)}
		}
	}
	return nil
}

// isHelp reports whether a word asks for help.
func isHelp(word string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, word)
}

// moved are subcommands that torclab has.
var moved = []string{"bench", "attack", "picture"}

func known(subcommand string) bool {
	for _, s := range Subcommands {
		if s.Name == subcommand {
			return true
		}
	}
	return false
}

func names() string {
	var all []string
	for _, s := range Subcommands {
		all = append(all, s.Name)
	}
	return strings.Join(all, ", ")
}

// FlagHelp is what the help says of a flag.
type FlagHelp struct {
	Name  string // without dashes
	Param string // "" if the flag has no value
	Help  string
}

// Flags returns the flags of a subcommand, sorted by name.
func Flags(subcommand string) (all []FlagHelp) {
	flags(&Options{Subcommand: subcommand}).VisitAll(func(f *flag.Flag) {
		param, help := flag.UnquoteUsage(f)
		all = append(all, FlagHelp{f.Name, param, strings.TrimPrefix(help, param+": ")})
	})
	return all
}

// Names returns the flags of a subcommand as lines of the help.
func Names(subcommand string) (lines []string) {
	for _, f := range Flags(subcommand) {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("--%-32s %s", f.Name+" "+f.Param, f.Help)))
	}
	return lines
}

func envName(name string) string {
	return "TORC_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

var (
	undefined = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
	missing   = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
	invalid   = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+?): (.*)$`)
)

// usageError translates errors of package flag into a *Usage.
func usageError(o *Options, err error) error {
	text := err.Error()
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	if m := undefined.FindStringSubmatch(text); m != nil {
		return &UsageError{fmt.Sprintf("torc %s has no flag --%s%s (torc help %s lists them)", o.command(), m[1], suggestion("--", m[1], flagNames(o)), o.Subcommand)}
	}
	if m := missing.FindStringSubmatch(text); m != nil {
		return &UsageError{fmt.Sprintf("--%s needs a value", m[1])}
	}
	if m := invalid.FindStringSubmatch(text); m != nil {
		return &UsageError{fmt.Sprintf("--%s %s: %s", m[2], m[1], reason(flags(o).Lookup(m[2]), errors.New(m[3])))}
	}
	return &UsageError{text}
}

// reason returns a useful error for booleans and durations. Package flag says only "parse error".
func reason(f *flag.Flag, err error) string {
	if err.Error() != "parse error" {
		return err.Error()
	}
	if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
		return "must be true or false"
	}
	return "must be a duration, for example 15s or 10m"
}
