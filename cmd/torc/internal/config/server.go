package config

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/node"
)

// Server is what torc serve and torc play share.
type Server struct {
	Node
	Mods       []string
	Mission    string
	MaxClients int
	Strict     bool
	Journal    string // folder of journals; "" records none
	Bots       *int   // nil: the value of the mods and the file
	Web        string // HOST:PORT of the client for browsers, or flags.On; "" disables it
	Public     bool   // of serve: in the public list
}

func (o *Server) declare(s *flags.Set, name, help string) {
	o.Node.declare(s, name, help)
	o.MaxClients = 128
	s.StringVar(&o.Journal, "journal", "", "`DIR`: record all inputs of the server in a file of this folder, for torc replay")
	s.Var(flags.List{To: &o.Mods, Sep: ","}, "mod", "`NAME`: load this mod and its dependencies (repeatable)")
	s.StringVar(&o.Mission, "mission", "", "`NAME`: start with this mission")
	s.Var(flags.Count{To: &o.MaxClients, Lo: 1, Hi: 10_000}, "max-clients", "`N`: highest number of connected clients (128)")
	s.Var(flags.OptionalCount{To: &o.Bots, Lo: 0, Hi: 1000}, "bots", "`N`: number of bots on the server (sv.bots)")
	s.BoolVar(&o.Strict, "strict", false, "end with an error if a mod fails to load")
}

// filled takes the server's password from the table [vars], unless a flag overrides it.
func (o *Server) filled() error {
	if o.Overridden("sv.password") != "" {
		return nil
	}
	for _, v := range o.Vars {
		if v.Name != "sv.password" {
			continue
		}
		if err := (password{&o.Password}).Set(v.Value); err != nil {
			return flags.Usagef("%s: [vars] %s %v", o.At(v), v.Name, err)
		}
	}
	return nil
}

// Values of Web and of WebRTC.
const (
	PlayWeb   = "127.0.0.1:28000" // Web of play
	SecureWeb = ":443"            // with --tls, instead of flags.On
	NoRTC     = "off"             // the only value of WebRTC: no WebRTC
)

// Serve is the options of torc serve.
type Serve struct {
	plain
	Server
	Listen     string
	MapPort    bool
	Supervised bool
	Drain      time.Duration // how long a signal lets the server drain; 0: it ends at once
	Rendezvous string        // HOST:PORT of a rendezvous to register at; "" is none
	Metrics    string        // HOST:PORT of the metrics endpoint; "" disables it
	SSH        string        // HOST:PORT of the console over SSH; "" disables it
	SSHKeys    string        // file of its keys; "" is in the data folder
	Peers      []node.Peer
	Fleet      Fleet
	As         string // name in the fleet; "" without one
	Advertise  string // HOST:PORT for players; "" is the address of Listen
	WebOrigins []string
	WebProxies []string
	WebRTC     []string // IP addresses at which browsers reach the UDP port, or NoRTC
	TLSDomain  string   // name for a certificate of Web from a CA; "" asks for none
	TLSCert    string   // files of the certificate of Web and of its key; "" is plain HTTP
	TLSKey     string
}

func (o *Serve) declare(s *flags.Set) {
	o.Server.declare(s, "torc", "`TEXT`: name of the server, shown to clients (torc)")
	s.StringVar(&o.Metrics, "metrics", "", "`HOST:PORT`: serve /metrics and /healthz over HTTP at this address")
	s.StringVar(&o.SSH, "ssh", "", "`HOST:PORT`: serve the console over SSH at this address, for the keys of --ssh-keys")
	s.StringVar(&o.SSHKeys, "ssh-keys", "", "`FILE`: keys that can use the SSH console, each with a role (ssh_keys in the data folder)")
	s.StringVar(&o.Listen, "listen", ":28000", listenHelp)
	s.BoolVar(&o.Supervised, "supervised", false, "a supervisor starts the server again: on SIGTERM, clients try for a minute to come back; systemd needs no flag")
	s.DurationVar(&o.Drain, "drain", 0, "`TIME`: on SIGTERM, take nobody in, send the players on, and end when nobody is left or after this time, such as 2m (0: end at once)")
	s.BoolVar(&o.MapPort, "map-port", false, "ask the router to forward the UDP port, by NAT-PMP or UPnP, until the server ends")
	s.Var(flags.Address{To: &o.Web}, "web", "`[HOST:PORT]`: let browsers play, over HTTP at this TCP address (that of --listen)")
	s.Var(flags.List{To: &o.WebOrigins, Sep: ","}, "web-origin", "`URL`: https://HOST[:PORT] of a site at which browsers reach this server, the public one first (repeatable)")
	s.Var(flags.List{To: &o.WebProxies, Sep: ","}, "web-proxy", "`IP[/BITS]`: a reverse proxy, whose X-Forwarded-For counts (repeatable)")
	s.Var(flags.List{To: &o.WebRTC, Sep: ","}, "web-rtc", "`IP|off`: an IP address at which browsers reach the UDP port, besides those the server knows (repeatable); off: they use WebSockets only")
	s.StringVar(&o.TLSDomain, "tls", "", "`DOMAIN`: serve --web over HTTPS at port 443, with a certificate for this name from Let's Encrypt, whose terms you accept")
	s.StringVar(&o.TLSCert, "tls-cert", "", "`FILE`: certificate of --web, in PEM; a renewed file needs no restart")
	s.StringVar(&o.TLSKey, "tls-key", "", "`FILE`: private key of --tls-cert")
	s.BoolVar(&o.Public, "public", false, "be in the public list of --rendezvous, if that keeps one (sv.public)")
	s.Var(peers{&o.Peers}, "peer", "`NAME=HOST:PORT#KEY`: a server to which this one sends players, and from which it takes them (repeatable; [peers] in the file)")
	o.Fleet.declare(s)
	s.StringVar(&o.As, "as", "", "`NAME`: name of the server in its fleet, 1 to 32 of a-z, 0-9 and - (the host name)")
	s.StringVar(&o.Advertise, "advertise", "", "`HOST:PORT`: where players of the other servers of the fleet reach this one (the address of --listen)")
	s.StringVar(&o.Rendezvous, "rendezvous", "", "`HOST:PORT`: register at this rendezvous, so that players reach a server behind a router")
}

func (o *Serve) check() error {
	switch {
	case o.Drain < 0 || o.Drain > 24*time.Hour:
		return flags.Usagef("--drain %v must be 0 to 24h, for example 2m", o.Drain)
	case !strings.Contains(o.Listen, ":"):
		return flags.Usagef("--listen %q must be HOST:PORT, for example :28000", o.Listen)
	case (o.TLSCert == "") != (o.TLSKey == ""):
		return flags.Usagef("--tls-cert and --tls-key need each other")
	case o.TLSDomain != "" && o.TLSCert != "":
		return flags.Usagef("--tls and --tls-cert exclude each other")
	case o.Web == "" && (o.TLSCert != "" || o.TLSDomain != "" || len(o.WebOrigins)+len(o.WebProxies)+len(o.WebRTC) > 0):
		return flags.Usagef("--tls, --tls-cert, --web-origin, --web-proxy and --web-rtc need --web")
	case len(o.Fleet.URLs) == 0 && (o.As != "" || o.Advertise != ""):
		return flags.Usagef("--as and --advertise need --fleet URL")
	case o.Public && o.Rendezvous == "":
		return flags.Usagef("--public needs --rendezvous HOST:PORT, whose list it is")
	case slices.Contains(o.WebRTC, NoRTC) && len(o.WebRTC) > 1:
		return flags.Usagef("--web-rtc: off excludes IP addresses")
	}
	if len(o.Fleet.URLs) > 0 && o.As == "" {
		o.As = hostName()
	}
	return o.Fleet.check()
}

// Play is the options of torc play.
type Play struct {
	plain
	Server
	Args     []string
	Language string // of the player
}

func (o *Play) declare(s *flags.Set) {
	o.Server.declare(s, playerName(), nameHelp)
	o.Web = PlayWeb
	s.Var(flags.Address{To: &o.Web}, "web", "`HOST:PORT|off`: let browsers on this machine play, over HTTP at this address ("+PlayWeb+", or another port if that is taken)")
	s.Var(flags.List{To: &o.Args}, "arg", argHelp)
	o.Language = playerLanguage()
	s.Var(language{&o.Language}, "language", languageHelp)
}

const (
	argHelp  = "`TEXT`: an argument of the connect request (repeatable)"
	nameHelp = "`TEXT`: the player's name ($USER, else player)"

	languageHelp = "`TAG`: the player's language, such as de or pt-BR, in which the server writes ($LC_ALL, $LC_MESSAGES, else $LANG)"
)

// playerName is the default name of a player.
func playerName() string {
	if user := os.Getenv("USER"); user != "" {
		return user
	}
	return "player"
}

// playerLanguage is the default language of a player: a locale of the environment, or "".
func playerLanguage() string {
	return cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
}

// ServerOf returns the options that torc serve and torc play share, nil of another subcommand.
func ServerOf(o Options) *Server {
	switch o := o.(type) {
	case *Serve:
		return &o.Server
	case *Play:
		return &o.Server
	}
	return nil
}
