package config

import (
	"log/slog"
	"regexp"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// Options are the options of one subcommand: a pointer to the struct of its name. A struct declares
// its flags where it is declared, and each flag once: its name, type, default and help. The name is
// also the key in the file, and TORC_NAME is the variable in the environment.
type Options interface {
	declare(s *flags.Set)                           // declares the flags and sets their defaults
	take(words []string) (rest []string, err error) // takes the words that belong to no flag
	check() error                                   // compares the options with each other
}

// plain is a part of options without words and without checks.
type plain struct{}

func (plain) take(words []string) ([]string, error) { return words, nil }
func (plain) check() error                          { return nil }

// Sources says where the settings come from. Subcommands with it read the environment and the file.
type Sources struct {
	Vars     []Var // of the file, in order of name, but net.profile comes first
	VarsFrom string

	Warnings []string  // about names in the environment
	Settings []Setting // every flag of the subcommand, in order of name
}

// Var is one line of the file's [vars] table.
type Var struct {
	Name, Value string
	Line        int // in the file, from 1
}

// A Setting is the value of a flag, and where the value comes from.
type Setting struct {
	Name  string // of the flag
	Value string // as given, several values separated by ", "; "" if there is none
	From  string // "--NAME", "TORC_NAME", "FILE:LINE" or "default"
}

func (o *Sources) sources() *Sources { return o }

func (o *Sources) declare(s *flags.Set) {
	s.String("config", "", "`FILE`: TOML; keys are flag names, [vars] sets console variables; environment variables (TORC_NAME for --name) override it")
}

// Terminal is what a node shows on the terminal.
type Terminal struct {
	Console  string // auto, tty, line or off
	LogLevel slog.Level
}

func (o *Terminal) declare(s *flags.Set, help string) {
	o.Console = "auto"
	s.Var(flags.Choice{To: &o.Console, Of: []string{"auto", "tty", "line", "off"}}, "console", "`auto|tty|line|off`: "+help)
	s.Var(level{&o.LogLevel}, "log-level", "`debug|info|warn|error`: lowest level that is logged on stderr (info)")
}

// Log is the log of a node.
type Log struct {
	LogFormat string // text or json
	LogFile   string // also gets the log; "" is none

	LogMaxSize, LogMaxAge int // of a log file, in MiB; of old log files, in days
}

func (o *Log) declare(s *flags.Set) {
	*o = Log{LogFormat: "text", LogMaxSize: 100, LogMaxAge: 30}
	s.Var(flags.Choice{To: &o.LogFormat, Of: []string{"text", "json"}}, "log-format", "`text|json`: format of the log (text)")
	s.StringVar(&o.LogFile, "log-file", "", "`FILE`: write the log to this file too; SIGHUP opens it again (serve)")
	s.Var(flags.Count{To: &o.LogMaxSize, Lo: 1, Hi: 10_000}, "log-max-size", "`MIB`: begin a new log file at this size, and at 00:00 UTC (100)")
	s.Var(flags.Count{To: &o.LogMaxAge, Lo: 1, Hi: 10_000}, "log-max-age", "`DAYS`: remove older log files, and all but the newest 30 (30)")
}

// Folder is a folder of mods besides the embedded ones.
type Folder struct{ ModsDir string }

func (o *Folder) declare(s *flags.Set) {
	s.StringVar(&o.ModsDir, "mods", "", "`DIR`: an extra folder of mods beside the embedded ones")
}

// Node is what every server and client has.
type Node struct {
	Sources
	Terminal
	Log
	Folder
	Name     string
	Password string
	Data     string // "" is the default folder
	Scripts  []Script
	Seed     *uint64
	InMemory bool // no default data folder is no error: the program says what it does then
}

// Script is one --exec or --eval, in the order given.
type Script struct {
	File string // --exec: .lua is one chunk, any other file contains console lines
	Code string // --eval, when File is empty
}

// declare declares the flags. name is the default of --name, and help explains it.
func (o *Node) declare(s *flags.Set, name, help string) {
	o.Sources.declare(s)
	o.Terminal.declare(s, "a prompt (tty), plain lines (line), no console (off), or tty on a terminal and line elsewhere (auto)")
	o.Log.declare(s)
	o.Folder.declare(s)
	s.StringVar(&o.Name, "name", name, help)
	s.Var(password{&o.Password}, "password", "`TEXT|@FILE`: the server's password")
	s.StringVar(&o.Data, "data", "", dataHelp)
	s.Var(scripts{&o.Scripts, func(s string) Script { return Script{File: s} }}, "exec", "`FILE`: run a .lua file or a file of console lines after the mods have loaded (repeatable)")
	s.Var(scripts{&o.Scripts, func(s string) Script { return Script{Code: s} }}, "eval", "`LUA`: run this code after the mods have loaded (repeatable)")
	s.Var(flags.Seed{To: &o.Seed}, "seed", "`N`: fixes every random choice of the simulation")
}

const dataHelp = "`DIR`: folder for keys, rights, history and the mod store"

// Mod is the options of torc mod.
type Mod struct {
	Verb    string         // new, check, test, debug, docs, pack, install or list
	Target  string         // the name or the folder of a mod; install: the source, "" is the lock file
	Dir     string         // new: the parent folder of the new mod
	Run     *regexp.Regexp // test: the tests to run; nil is all
	Seed    *uint64        // test
	With    []string       // test: mods that the server loads besides
	JSON    bool           // check, test, list
	Format  string         // docs: md, json or lua
	Out     string         // docs: a file, "" is stdout; pack: a file, "" is NAME-VERSION.tar.gz
	Replace bool           // install: replace an installed mod of the same name
	// ReplaceStock installs a mod that runs in place of a mod of torc.
	ReplaceStock bool
	Data         string // debug
	Folder
}

// Query is the options of torc query.
type Query struct {
	plain
	Address string // HOST[:PORT]
	Timeout time.Duration
}

func (o *Query) declare(s *flags.Set) {
	s.DurationVar(&o.Timeout, "timeout", 5*time.Second, "`DURATION`: how long to wait for the server's answer (5s)")
}

func (o *Query) take(words []string) ([]string, error) {
	return first(words, &o.Address, "torc query needs the server's address: torc query HOST[:PORT]")
}

// Rendezvous is the options of torc rendezvous.
type Rendezvous struct {
	plain
	Terminal
	Listen    string
	List      bool
	Data      string // "" is the default folder with List, and none without
	Advertise string // HOST:PORT for clients; "" is the host of the list's page
	Web       string // HOST:PORT of the list's page, or flags.On; "" serves none
	TLSDomain string
	TLSCert   string
	TLSKey    string
	Proxies   []string
}

func (o *Rendezvous) declare(s *flags.Set) {
	s.StringVar(&o.Listen, "listen", ":28000", listenHelp)
	s.BoolVar(&o.List, "list", false, "keep a public list of the servers with --public")
	s.StringVar(&o.Data, "data", "", "`DIR`: folder for the key of the rendezvous, and for what is hidden and blocked; without it and --list nothing is kept")
	s.StringVar(&o.Advertise, "advertise", "", "`HOST:PORT`: where clients reach this rendezvous (the host of the list's page, and the port of --listen)")
	s.Var(flags.Address{To: &o.Web}, "web", "`[HOST:PORT]`: serve the list, a page and servers.json, over HTTP at this TCP address (that of --listen)")
	s.StringVar(&o.TLSDomain, "tls", "", "`DOMAIN`: serve --web over HTTPS at port 443, with a certificate for this name from Let's Encrypt, whose terms you accept")
	s.StringVar(&o.TLSCert, "tls-cert", "", "`FILE`: certificate of --web, in PEM; a renewed file needs no restart")
	s.StringVar(&o.TLSKey, "tls-key", "", "`FILE`: private key of --tls-cert")
	s.Var(flags.List{To: &o.Proxies, Sep: ","}, "web-proxy", "`IP[/BITS]`: a reverse proxy, which can open any number of connections (repeatable)")
	o.Terminal.declare(s, "with --list or --data: a prompt (tty), plain lines (line), no console (off), or tty on a terminal and line elsewhere (auto)")
}

func (o *Rendezvous) check() error {
	secure := o.TLSCert != "" || o.TLSKey != "" || o.TLSDomain != ""
	switch {
	case (o.TLSCert == "") != (o.TLSKey == ""):
		return flags.Usagef("--tls-cert and --tls-key need each other")
	case o.TLSDomain != "" && o.TLSCert != "":
		return flags.Usagef("--tls and --tls-cert exclude each other")
	case o.Web == "" && (secure || len(o.Proxies) > 0):
		return flags.Usagef("--tls, --tls-cert and --web-proxy need --web")
	case !o.List && (o.Web != "" || o.Advertise != ""):
		return flags.Usagef("--web and --advertise need --list")
	}
	return nil
}

const listenHelp = "`HOST:PORT`: listen on this UDP address (:28000); port 0 picks a free port"

// Relay is the options of torc relay.
type Relay struct {
	plain
	Address string
	Listen  string
	Line    Line
}

func (o *Relay) declare(s *flags.Set) {
	s.StringVar(&o.Listen, "listen", ":0", "`HOST:PORT`: take the clients at this UDP address (:0, any free port)")
	o.Line.declare(s)
}

func (o *Relay) take(words []string) ([]string, error) {
	return first(words, &o.Address, "torc relay needs the server's address: torc relay HOST:PORT")
}

// Dissect is the options of torc dissect.
type Dissect struct {
	plain
	File        string // the capture
	Packet      int    // the only packet to show; 0 is all
	First, Last int    // the packets to show; 0 is no limit
	JSON        bool
}

const maxPacket = 1_000_000_000 // highest number of a packet in a capture

func (o *Dissect) declare(s *flags.Set) {
	s.Var(flags.Count{To: &o.Packet, Lo: 1, Hi: maxPacket}, "packet", "`N`: show only this packet")
	s.Var(flags.Count{To: &o.First, Lo: 1, Hi: maxPacket}, "from", "`N`: begin with this packet")
	s.Var(flags.Count{To: &o.Last, Lo: 1, Hi: maxPacket}, "to", "`N`: end with this packet")
	s.BoolVar(&o.JSON, "json", false, "print one JSON object per packet")
}

func (o *Dissect) take(words []string) ([]string, error) {
	return first(words, &o.File, "torc dissect needs the capture to read: torc dissect FILE")
}

// Replay is the options of torc replay.
type Replay struct {
	plain
	Terminal
	Folder
	Data     string
	File     string // the journal or the demo
	Speed    string // times real time; "" is the default of the kind of file
	Seek     string // a time such as 12:30; "" is the beginning
	Headless bool   // of a demo

	// Of a journal.
	Check       bool
	From, Until uint64 // ticks; 0: from the beginning, to the end
	FromMark    int    // number of a mark, 0 for none
	Prompt      bool
	Net         string // HOST:PORT of its net page, or flags.On; "" shows none
	WithMods    string // a folder of mods
}

func (o *Replay) declare(s *flags.Set) {
	s.StringVar(&o.Speed, "speed", "", "`N`: times real time; a demo 0.1 to 16 (1), a journal also 0, as fast as possible, or a pause with --net (0, or 1 behind --from and --seek, and with --net)")
	s.StringVar(&o.Seek, "seek", "", "`[MINUTES:]SECONDS`: begin at this time")
	s.BoolVar(&o.Headless, "headless", false, "demo: run through it as fast as possible, from --seek on, and print a summary")
	s.BoolVar(&o.Check, "check", false, "journal: also end with status 1 if a replay with --with-mods differs")
	s.Var(tick{&o.Until, nil}, "until", "`TICK`: journal: stop after this tick")
	s.Var(tick{&o.From, &o.FromMark}, "from", "`TICK|mark:N`: journal: go on in real time from this tick or mark on, and as fast as possible before")
	s.BoolVar(&o.Prompt, "prompt", false, "journal: read console lines at the end, or at --until")
	s.Var(flags.Address{To: &o.Net, BeforeFile: true}, "net", "`[HOST:PORT]`: journal: show it in the net page, with a time to choose, over HTTP at this TCP address (a free port of 127.0.0.1)")
	s.StringVar(&o.WithMods, "with-mods", "", "`DIR`: journal: run the mods of this folder in place of those in the journal")
	s.StringVar(&o.Data, "data", "", "`DIR`: folder for the history of the prompt")
	o.Folder.declare(s)
	o.Terminal.declare(s, "show the demo on a terminal (tty), print a summary (line, off), or decide by the terminal (auto)")
}

func (o *Replay) take(words []string) ([]string, error) {
	return first(words, &o.File, "torc replay needs the journal or the demo to play: torc replay FILE")
}

// ServerData selects the data folder of a server.
type ServerData struct {
	plain
	Sources
	Data string // "" is the default folder
}

func (o *ServerData) declare(s *flags.Set) {
	s.StringVar(&o.Data, "data", "", dataHelp)
	o.Sources.declare(s)
}

// Console is the options of torc console.
type Console struct {
	ServerData
	Socket string // of a running server; "" is the socket of the data folder
}

func (o *Console) take(words []string) ([]string, error) { return first(words, &o.Socket, "") }

// Backup is the options of torc backup.
type Backup struct {
	ServerData
	File string // the copy
}

func (o *Backup) take(words []string) ([]string, error) {
	return first(words, &o.File, "torc backup needs the file to write: torc backup FILE")
}

// Check is the options of torc check.
type Check struct {
	ServerData
	File string // "" is the store of the data folder
}

func (o *Check) take(words []string) ([]string, error) { return first(words, &o.File, "") }

// Completion is the options of torc completion.
type Completion struct {
	plain
	Format string // bash, zsh, fish or man
}

func (*Completion) declare(*flags.Set) {}

func (o *Completion) take(words []string) ([]string, error) { return first(words, &o.Format, "") }

// Find is the options of torc find.
type Find struct {
	plain
	Lists []string // URLs of public lists; none is the local network
}

func (o *Find) declare(s *flags.Set) {
	s.Var(flags.List{To: &o.Lists, Sep: ","}, "list", "`URL`: list the servers of this public list instead (repeatable)")
}

// Version is the options of torc version, which has none.
type Version struct{ plain }

func (*Version) declare(*flags.Set) {}

// first takes the first word. Without one it returns an error that says what is missing, if there
// is a text for it.
func first(words []string, to *string, missing string) ([]string, error) {
	switch {
	case len(words) > 0:
		*to = words[0]
		return words[1:], nil
	case missing != "":
		return nil, flags.Usagef("%s", missing)
	}
	return words, nil
}
