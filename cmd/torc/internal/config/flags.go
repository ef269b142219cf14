package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Subcommands are the subcommands of torc, in the order of the help.
var Subcommands = []struct{ Name, Params, Help string }{
	{"play", "[--mod NAME]… [--bots N]", "run a server and a local client in one process, with the console"},
	{"serve", "[--listen HOST:PORT] [--web [HOST:PORT]] [--mod NAME]…", "run a dedicated server"},
	{"join", "[via:]HOST[:PORT][#KEY]", "run a client; with via:, HOST:PORT is a rendezvous"},
	{"replay", "FILE [--speed N] [--seek TIME]…", "run a server again from its journal, or show a demo"},
	{"swarm", "HOST[:PORT][#KEY] --count N", "run many headless clients in one process, for load tests"},
	{"find", "", "list the servers on the local network"},
	{"query", "HOST[:PORT]", "show what a server tells everybody: name, mission, mods and number of players"},
	{"rendezvous", "[--listen HOST:PORT]", "let players reach servers behind routers: run this on a machine with a public address"},
	{"relay", "HOST:PORT [--rate BITS] [--delay DURATION]…", "put a slow or lossy line between clients and a server"},
	{"mod", "new|check|test|debug|docs|pack|install|list [NAME|DIR|FILE|URL]", "start, lint, test, debug, document, pack and install mods"},
	{"config", "check|show [serve|play] [FLAG]…", "check the settings of a server, or show each value and its source"},
	{"dissect", "FILE [--packet N] [--json]", "show the packets of a capture field by field"},
	{"console", "[--data DIR] [SOCKET]", "attach a prompt to the console of a running server"},
	{"backup", "[--data DIR] FILE", "copy the mod store to a file; a running server goes on"},
	{"check", "[--data DIR] [FILE]", "check the mod store, or a backup of it, for damage"},
	{"completion", "bash|zsh|fish|man", "print completions for a shell, or the manual page"},
	{"version", "", "print the versions of torc, of its protocol and of Go"},
}

// flags declares the flags of one subcommand. They all write to o.
func flags(o *Options) *flag.FlagSet {
	fs := flag.NewFlagSet(o.Subcommand, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	switch o.Subcommand {
	case "relay":
		fs.StringVar(&o.SSH, "ssh", "", "`HOST:PORT`: serve the console over SSH at this address, for the keys of --ssh-keys")
		fs.StringVar(&o.SSHKeys, "ssh-keys", "", "`FILE`: keys that can use the SSH console, each with a role (ssh_keys in the data folder)")
		fs.StringVar(&o.Listen, "listen", ":0", "`HOST:PORT`: take the clients at this UDP address (:0, any free port)")
		lineFlags(fs, &o.Line)
		return fs
	case "mod":
		modFlags(fs, o)
		return fs
	case "config":
		configFlag(fs)
		return fs
	case "dissect":
		fs.Var(count{&o.Packet, 1, maxPacket}, "packet", "`N`: show only this packet")
		fs.Var(count{&o.First, 1, maxPacket}, "from", "`N`: begin with this packet")
		fs.Var(count{&o.Last, 1, maxPacket}, "to", "`N`: end with this packet")
		fs.BoolVar(&o.JSON, "json", false, "print one JSON object per packet")
		return fs
	case "console", "backup", "check":
		dataFlags(fs, o)
		return fs
	case "rendezvous":
		fs.StringVar(&o.SSH, "ssh", "", "`HOST:PORT`: serve the console over SSH at this address, for the keys of --ssh-keys")
		fs.StringVar(&o.SSHKeys, "ssh-keys", "", "`FILE`: keys that can use the SSH console, each with a role (ssh_keys in the data folder)")
		fs.StringVar(&o.Listen, "listen", ":28000", "`HOST:PORT`: listen on this UDP address (:28000); port 0 picks a free port")
		return fs
	case "query":
		fs.DurationVar(&o.Timeout, "timeout", 5*time.Second, "`DURATION`: how long to wait for the server's answer (5s)")
		return fs
	case "replay":
		replayFlags(fs, o)
		return fs
	case "version", "find", "completion":
		return fs
	}
	if o.Subcommand == "serve" || o.Subcommand == "play" {
		serverFlags(fs, o)
	}
	if o.Subcommand != "serve" {
		clientFlags(fs, o)
	}
	fs.StringVar(&o.ModsDir, "mods", "", "`DIR`: an extra folder of mods beside the embedded ones")
	fs.StringVar(&o.Name, "name", defaultName(o.Subcommand), nameHelp(o.Subcommand))
	fs.Var(password{&o.Password}, "password", "`TEXT|@FILE`: the server's password")
	fs.StringVar(&o.Data, "data", "", "`DIR`: folder for keys, rights, history and the mod store")
	configFlag(fs)
	fs.Var(scripts{&o.Scripts, func(s string) Script { return Script{File: s} }}, "exec", "`FILE`: run a .lua file or a file of console lines after the mods have loaded (repeatable)")
	fs.Var(scripts{&o.Scripts, func(s string) Script { return Script{Code: s} }}, "eval", "`LUA`: run this code after the mods have loaded (repeatable)")
	fs.Var(choice{&o.Console, []string{"auto", "tty", "line", "off"}}, "console", "`auto|tty|line|off`: a prompt (tty), plain lines (line), no console (off), or tty on a terminal and line elsewhere (auto)")
	fs.Var(level{&o.LogLevel}, "log-level", "`debug|info|warn|error`: lowest level that is logged on stderr (info)")
	fs.Var(choice{&o.LogFormat, []string{"text", "json"}}, "log-format", "`text|json`: format of the log (text)")
	logFlags(fs, o)
	fs.Var(seed{&o.Seed}, "seed", "`N`: fixes every random choice of the simulation")
	return fs
}

func replayFlags(fs *flag.FlagSet, o *Options) {
	fs.StringVar(&o.Speed, "speed", "", "`N`: times real time; a demo 0.1 to 16 (1), a journal also 0, as fast as possible, or a pause with --net (0, or 1 behind --from and --seek, and with --net)")
	fs.StringVar(&o.Seek, "seek", "", "`[MINUTES:]SECONDS`: begin at this time")
	fs.BoolVar(&o.Headless, "headless", false, "demo: run through it as fast as possible, from --seek on, and print a summary")
	fs.BoolVar(&o.Check, "check", false, "journal: also end with status 1 if a replay with --with-mods differs")
	fs.Var(tick{&o.Until, nil}, "until", "`TICK`: journal: stop after this tick")
	fs.Var(tick{&o.From, &o.FromMark}, "from", "`TICK|mark:N`: journal: go on in real time from this tick or mark on, and as fast as possible before")
	fs.BoolVar(&o.Prompt, "prompt", false, "journal: read console lines at the end, or at --until")
	fs.Var(optionalAddress{&o.Net, true}, "net", "`[HOST:PORT]`: journal: show it in the net page, with a time to choose, over HTTP at this TCP address (a free port of 127.0.0.1)")
	fs.StringVar(&o.WithMods, "with-mods", "", "`DIR`: journal: run the mods of this folder in place of those in the journal")
	fs.StringVar(&o.ModsDir, "mods", "", "`DIR`: an extra folder of mods beside the embedded ones")
	fs.StringVar(&o.Data, "data", "", "`DIR`: folder for the history of the prompt")
	fs.Var(choice{&o.Console, []string{"auto", "tty", "line", "off"}}, "console", "`auto|tty|line|off`: show the demo on a terminal (tty), print a summary (line, off), or decide by the terminal (auto)")
	fs.Var(level{&o.LogLevel}, "log-level", "`debug|info|warn|error`: lowest level that is logged on stderr (info)")
}

func configFlag(fs *flag.FlagSet) {
	fs.String("config", "", "`FILE`: TOML; keys are flag names, [vars] sets console variables; environment variables (TORC_NAME for --name) override it")
}

// logFlags declares the flags of the log file.
func logFlags(fs *flag.FlagSet, o *Options) {
	fs.StringVar(&o.LogFile, "log-file", "", "`FILE`: write the log to this file too; SIGHUP opens it again (serve)")
	fs.Var(count{&o.LogMaxSize, 1, 10_000}, "log-max-size", "`MIB`: begin a new log file at this size, and at 00:00 UTC (100)")
	fs.Var(count{&o.LogMaxAge, 1, 10_000}, "log-max-age", "`DAYS`: remove older log files, and all but the newest 30 (30)")
}

// dataFlags declares the flags that select the data folder.
func dataFlags(fs *flag.FlagSet, o *Options) {
	fs.StringVar(&o.Data, "data", "", "`DIR`: folder for keys, rights, history and the mod store")
	configFlag(fs)
}

func serverFlags(fs *flag.FlagSet, o *Options) {
	if o.Subcommand == "serve" {
		fs.StringVar(&o.Metrics, "metrics", "", "`HOST:PORT`: serve /metrics and /healthz over HTTP at this address")
		fs.StringVar(&o.SSH, "ssh", "", "`HOST:PORT`: serve the console over SSH at this address, for the keys of --ssh-keys")
		fs.StringVar(&o.SSHKeys, "ssh-keys", "", "`FILE`: keys that can use the SSH console, each with a role (ssh_keys in the data folder)")
		fs.StringVar(&o.Listen, "listen", ":28000", "`HOST:PORT`: listen on this UDP address (:28000); port 0 picks a free port")
		fs.BoolVar(&o.MapPort, "map-port", false, "ask the router to forward the UDP port, by NAT-PMP or UPnP, until the server ends")
		fs.Var(optionalAddress{&o.Web, false}, "web", "`[HOST:PORT]`: let browsers play, over HTTP at this TCP address (that of --listen)")
		fs.Var(list{&o.WebOrigins, ","}, "web-origin", "`URL`: https://HOST[:PORT] of a site at which browsers reach this server, the public one first (repeatable)")
		fs.Var(list{&o.WebProxies, ","}, "web-proxy", "`IP[/BITS]`: a reverse proxy, whose X-Forwarded-For counts (repeatable)")
		fs.Var(list{&o.WebRTC, ","}, "web-rtc", "`IP|off`: an IP address at which browsers reach the UDP port, besides those the server knows (repeatable); off: they use WebSockets only")
		fs.StringVar(&o.TLSDomain, "tls", "", "`DOMAIN`: serve --web over HTTPS at port 443, with a certificate for this name from Let's Encrypt, whose terms you accept")
		fs.StringVar(&o.TLSCert, "tls-cert", "", "`FILE`: certificate of --web, in PEM; a renewed file needs no restart")
		fs.StringVar(&o.TLSKey, "tls-key", "", "`FILE`: private key of --tls-cert")
		fs.StringVar(&o.Rendezvous, "rendezvous", "", "`HOST:PORT`: register at this rendezvous, so that players reach a server behind a router")
	}
	fs.StringVar(&o.Journal, "journal", "", "`DIR`: record all inputs of the server in a file of this folder, for torc replay")
	if o.Subcommand == "play" {
		o.Web = PlayWeb
		fs.Var(optionalAddress{&o.Web, false}, "web", "`HOST:PORT|off`: let browsers on this machine play, over HTTP at this address ("+PlayWeb+", or another port if that is taken)")
	}
	fs.Var(list{&o.Mods, ","}, "mod", "`NAME`: load this mod and its dependencies (repeatable)")
	fs.StringVar(&o.Mission, "mission", "", "`NAME`: start with this mission")
	fs.Var(count{&o.MaxClients, 1, 10_000}, "max-clients", "`N`: highest number of connected clients (128)")
	fs.Var(optionalCount{&o.Bots, 0, 1000}, "bots", "`N`: number of bots on the server (sv.bots)")
	fs.BoolVar(&o.Strict, "strict", false, "end with an error if a mod fails to load")
}

func clientFlags(fs *flag.FlagSet, o *Options) {
	fs.Var(list{&o.Args, ""}, "arg", "`TEXT`: an argument of the connect request (repeatable)")
	if o.Subcommand == "join" || o.Subcommand == "swarm" {
		fs.StringVar(&o.AcceptKey, "accept-key", "", "`KEY`: trust this server key from now on")
		fs.Var(bot{&o.Bot, &o.Scripts}, "bot", "`idle|wander|FILE.lua`: source of the moves when no person plays")
		fs.DurationVar(&o.Timeout, "timeout", 15*time.Second, "`DURATION`: how long to wait for the server's answer (15s)")
	}
	if o.Subcommand == "join" {
		fs.BoolVar(&o.Watch, "watch", false, "join as a spectator, who sees the game with a delay and takes no player's place")
		fs.StringVar(&o.Record, "record", "", "`FILE`: record a demo of the game into this new file, for torc replay")
		fs.StringVar(&o.Capture, "capture", "", "`FILE`: record all datagrams in this new file, with the keys of the session; torc dissect shows them")
		fs.BoolVar(&o.NoReconnect, "no-reconnect", false, "end when the connection is lost, instead of coming back")
	}
	if o.Subcommand == "swarm" {
		fs.Var(count{&o.Count, 1, 10_000}, "count", "`N`: number of clients")
		fs.DurationVar(&o.For, "for", 0, "`DURATION`: leave this long after all clients have joined; without it, stay until the server ends")
	}
}

func nameHelp(subcommand string) string {
	if subcommand == "serve" {
		return "`TEXT`: name of the server, shown to clients (torc)"
	}
	return "`TEXT`: the player's name ($USER, else player)"
}

func defaultName(subcommand string) string {
	if subcommand == "serve" {
		return "torc"
	}
	if user := os.Getenv("USER"); user != "" {
		return user
	}
	return "player"
}

// Types of flags that package flag does not have.

type list struct {
	to  *[]string
	sep string // also splits each value at this separator; "" keeps the value whole
}

func (l list) String() string { return "" }
func (l list) Set(s string) error {
	if l.sep == "" {
		*l.to = append(*l.to, s)
		return nil
	}
	for part := range strings.SplitSeq(s, l.sep) {
		if part = strings.TrimSpace(part); part != "" {
			*l.to = append(*l.to, part)
		}
	}
	return nil
}

// Values of Options.Web; the first one also of Options.Net.
const (
	DefaultWeb = "on"              // at the address of --listen
	PlayWeb    = "127.0.0.1:28000" // of play
	SecureWeb  = ":443"            // with --tls, instead of DefaultWeb
	NoRTC      = "off"             // the only value of Options.WebRTC: no WebRTC
)

// optionalAddress is on, off or HOST:PORT. Without a value it is on.
type optionalAddress struct {
	to         *string
	beforeFile bool // a word behind it that cannot be its value is a file
}

// takes reports whether the next word is the value.
func (a optionalAddress) takes(word string) bool {
	if !a.beforeFile || word == "on" || word == "off" {
		return true
	}
	_, port, err := net.SplitHostPort(word)
	_, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && bad == nil
}

func (a optionalAddress) String() string {
	if a.to == nil {
		return ""
	}
	return *a.to
}
func (a optionalAddress) IsBoolFlag() bool { return true }
func (a optionalAddress) Set(s string) error {
	switch {
	case s == "on" || s == "true":
		*a.to = DefaultWeb
	case s == "off" || s == "false":
		*a.to = ""
	case strings.Contains(s, ":"):
		*a.to = s
	default:
		return errors.New("must be HOST:PORT, on or off, for example :8080")
	}
	return nil
}

type scripts struct {
	to   *[]Script
	make func(string) Script
}

func (s scripts) String() string        { return "" }
func (s scripts) Set(text string) error { *s.to = append(*s.to, s.make(text)); return nil }

// bot is the source of moves. A Lua file is also added to the scripts.
type bot struct {
	to      *string
	scripts *[]Script
}

func (b bot) String() string { return "" }
func (b bot) Set(s string) error {
	if strings.HasSuffix(s, ".lua") {
		*b.scripts = append(*b.scripts, Script{File: s})
	} else if s != "idle" && s != "wander" {
		return errors.New("must be idle, wander or a .lua file")
	}
	*b.to = s
	return nil
}

type choice struct {
	to *string
	of []string
}

func (c choice) String() string {
	if c.to == nil {
		return ""
	}
	return *c.to
}
func (c choice) Set(s string) error {
	if !slices.Contains(c.of, s) {
		return fmt.Errorf("must be one of %s", strings.Join(c.of, ", "))
	}
	*c.to = s
	return nil
}

type count struct {
	to     *int
	lo, hi int
}

func (c count) String() string {
	if c.to == nil || *c.to == 0 {
		return ""
	}
	return strconv.Itoa(*c.to)
}
func (c count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < c.lo || n > c.hi {
		return fmt.Errorf("must be a whole number from %d to %d", c.lo, c.hi)
	}
	*c.to = n
	return nil
}

// optionalCount is a count that can be unset.
type optionalCount struct {
	to     **int
	lo, hi int
}

func (c optionalCount) String() string { return "" }
func (c optionalCount) Set(s string) error {
	n := 0
	*c.to = &n
	return count{&n, c.lo, c.hi}.Set(s)
}

const maxPacket = 1_000_000_000 // highest number of a packet in a capture

type seed struct{ to **uint64 }

func (s seed) String() string { return "" }
func (s seed) Set(text string) error {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return fmt.Errorf("must be a whole number from 0 to %d", uint64(1<<64-1))
	}
	*s.to = &n
	return nil
}

type level struct{ to *slog.Level }

func (l level) String() string {
	if l.to == nil {
		return ""
	}
	return strings.ToLower(l.to.String())
}
func (l level) Set(s string) error {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	v, ok := levels[s]
	if !ok {
		return fmt.Errorf("must be one of debug, info, warn, error")
	}
	*l.to = v
	return nil
}

// password reads @FILE, so that the password does not appear in the list of processes.
type password struct{ to *string }

func (p password) String() string { return "" }
func (p password) Set(s string) error {
	if name, isFile := strings.CutPrefix(s, "@"); isFile {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("cannot be read: %w", err)
		}
		s = strings.TrimRight(string(text), "\r\n")
	}
	*p.to = s
	return nil
}

// tick is a tick of a journal, or one of its marks.
type tick struct {
	to   *uint64
	mark *int // nil: a mark is an error
}

func (t tick) String() string {
	if t.to == nil || *t.to == 0 {
		return ""
	}
	return strconv.FormatUint(*t.to, 10)
}

func (t tick) Set(s string) error {
	if number, is := strings.CutPrefix(s, "mark:"); is && t.mark != nil {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return errors.New("must be the number of a tick, or mark:1 and so on")
		}
		*t.mark = n
		return nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return errors.New("must be the number of a tick")
	}
	*t.to = n
	return nil
}
