package browsers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/metrics"
	"github.com/torc-engine/torc/node/internal/netpage"
	"github.com/torc-engine/torc/node/internal/qr"
	"github.com/torc-engine/torc/node/internal/web"
)

// sweepTicks is the number of ticks between two looks at the browsers: a second.
const sweepTicks = 32

// tlsFolder is the folder of certificates in the data folder.
const tlsFolder = "tls"

var errNoBrowsers = errors.New("this server serves no client for browsers: start it with --web")

// Options are what a Service needs besides the core of its server.
type Options struct {
	Web     *core.Web // nil: no client is served
	Listen  string    // HOST:PORT of the server, as it was given
	Version string    // of the program
	// Plain gets the function that reports whether a browser at an address has its page over plain
	// HTTP.
	Plain func(func(netcore.Addr) bool)
	// NotePlain looks for keys with a role on such pages.
	NotePlain func()
}

// A Service serves the client for browsers, and the net page.
type Service struct {
	core.Passive
	core.OfMachine
	core     *core.Core
	opts     Options
	listener *web.Listener      // nil: nothing is served
	cancel   context.CancelFunc // of the build
	built    chan struct{}      // closed when the build has ended
	net      netView
	origins  []string // sv.webOrigins
	frames   []string // sv.webFrames
}

// New returns the service of a server.
func New(c *core.Core, opts Options) *Service {
	s := &Service{core: c, opts: opts, net: netView{who: netAccess[netpage.WithKeyOrLocal]}}
	s.net.changed()
	return s
}

// Start opens the TCP port, and begins to build the client.
func (s *Service) Start(c *core.Core) error {
	if s.opts.Web == nil {
		return nil
	}
	at := cmp.Or(s.opts.Web.Listen, c.Loop.Addr().String()) // UDP and TCP ports do not exclude each other
	if err := s.listen(at); err != nil {
		return &core.ConfigError{Field: "Web", Value: at, Err: err}
	}
	if err := s.openNetPage(); err != nil {
		return err
	}
	s.listener.SetOrigins(s.origins)
	s.listener.SetFrames(s.frames)
	c.Loop.Web = s.listener
	s.opts.Plain(func(a netcore.Addr) bool { return a.Kind == netcore.AddrWeb && s.listener.Plain(a) })
	s.listener.SetLimits(c.Side.Host.Limits())
	ticks := 0
	c.Before(func() {
		s.listener.SetVoice(c.Side.Host.Voices.Mode() != voice.Off)
		if ticks++; ticks%sweepTicks == 0 {
			s.listener.SetLimits(c.Side.Host.Limits())
			s.listener.Sweep(s.peers)
			s.opts.NotePlain()
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.built = cancel, make(chan struct{})
	go s.build(ctx)
	return nil
}

// listen opens the TCP port.
func (s *Service) listen(at string) (err error) {
	w, c := s.opts.Web, s.core
	o := web.Options{
		Address: at, Cert: w.Cert, Key: w.Key, Origins: w.Origins, Proxies: w.Proxies, Public: w.Public,
		Game: web.Game{Key: c.Side.Host.Identity().Public, UDP: c.Loop.Addr()},
	}
	if w.Domain != "" {
		o.ACME = web.ACME{Domain: w.Domain, Folder: c.Home.Path(tlsFolder), Warn: func(text string) { c.Post(func() { c.Log.Warn(text) }) }}
	}
	if !w.NoRTC {
		o.Socket = c.Loop.Socket
	}
	s.listener, err = web.Listen(o)
	var taken *net.OpError
	if s.anyWebPort() && errors.As(err, &taken) {
		host, _, _ := net.SplitHostPort(at) // Listen has checked it
		o.Address = net.JoinHostPort(host, "0")
		s.listener, err = web.Listen(o)
	}
	return err
}

// anyWebPort reports whether a taken TCP port can be replaced by another: nobody asked for its
// number.
func (s *Service) anyWebPort() bool {
	_, port, err := net.SplitHostPort(s.opts.Listen)
	return s.opts.Web.OtherPort || s.opts.Web.Listen == "" && err == nil && port == "0"
}

// peers yields the addresses of all connections.
func (s *Service) peers(yield func(netcore.Addr) bool) {
	for _, c := range s.core.Side.Host.Connections() {
		if !c.Bot() && !yield(c.Net().Addr()) {
			return
		}
	}
}

// build makes the client, and tells the operator the link. It runs on a goroutine of its own.
func (s *Service) build(ctx context.Context) {
	defer close(s.built)
	if s.opts.Web.Build != nil {
		s.tell(core.PagePending)
	}
	err := errors.Join(s.serveNetPage(), s.publish(ctx))
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.tell(core.PageMissing)
		s.core.Post(func() { s.core.Log.Warn("browsers cannot play: there is no client for them", "why", err) })
		s.listener.Missing("The server has no client for browsers: " + err.Error() + ".")
	case s.opts.Web.Tell == nil:
		s.core.Post(func() {
			s.core.Print("play in a browser: " + s.link())
			if native := s.listener.Native(); native != "" {
				s.core.Print("play in a terminal: torc join " + native)
			}
		})
	default:
		s.tell(core.PageReady)
	}
}

// tell passes a state of the client to who wants to know it.
func (s *Service) tell(state core.PageState) {
	if tell := s.opts.Web.Tell; tell != nil {
		s.core.Post(func() {
			if state == core.PageReady {
				tell(state, s.link(), s.listener.Native())
				return
			}
			tell(state, "", "")
		})
	}
}

// publish makes and publishes the client.
func (s *Service) publish(ctx context.Context) error {
	folders := slices.Clone(s.opts.Web.Pages)
	if s.opts.Web.Build != nil {
		built, err := s.opts.Web.Build(ctx)
		if err != nil {
			return err
		}
		folders = append(folders, built)
	}
	return s.listener.Publish(folders...)
}

// Metrics returns the metrics of the browsers.
func (s *Service) Metrics() string {
	if s.listener == nil {
		return ""
	}
	return metrics.Browsers{Open: s.listener.Open(), Lost: s.listener.Lost(), Dropped: s.listener.Dropped(), Strays: s.listener.Strays()}.Text()
}

// AddAddresses adds where the client for browsers is served, and the links.
func (s *Service) AddAddresses(a *core.Addresses) {
	if s.listener == nil {
		return
	}
	a.Web, a.NetLink = s.listener.Addr(), s.netLink()
	a.Link, a.Native = s.link(), s.listener.Native()
	if s.core.Side.Host.Settings.MaxWatchers > 0 {
		a.WatchLink = s.listener.Site() + "/watch#" + s.key()
	}
}

// link opens the game in a browser.
func (s *Service) link() string { return s.listener.Site() + "/#" + s.key() }

// Page returns where everybody finds the page: the first origin of the operator, or else its scheme
// and port at the address of the server. "" is none.
func (s *Service) Page() string {
	switch {
	case s.listener == nil || s.opts.Web.Local:
		return ""
	case len(s.listener.Origins()) > 0:
		return s.listener.Site()
	}
	return fmt.Sprintf("%s://:%d", s.listener.Scheme(), s.listener.Addr().Port())
}

// terminalText says how somebody joins without a browser.
func terminalText(native string) string {
	if native == "" {
		return "nobody can join, because the server opens no UDP port for others (torc serve opens one)"
	}
	return "torc join " + native
}

// key is the public key of the server.
func (s *Service) key() string { return s.core.Side.Host.Identity().Public.String() }

// Close ends the build and all connections of browsers.
func (s *Service) Close() error {
	if s.cancel != nil {
		s.cancel()
	}
	if s.listener != nil {
		_ = s.listener.Close() // browsers learn of it by the end of their connections
	}
	if s.built != nil {
		<-s.built
	}
	return nil
}

// Commands are link and net.link.
func (s *Service) Commands() []console.Command {
	return []console.Command{{
		Name: "link", Help: "prints the link that opens the game in a browser, its QR code, the address for torc join, and the link for spectators",
		Run: func([]string) (string, error) {
			if s.listener == nil {
				return "", errNoBrowsers
			}
			var a core.Addresses
			s.AddAddresses(&a)
			code, err := qr.Text(a.Link)
			text := a.Link + "\n" + code + "\nin a terminal: " + terminalText(a.Native)
			if a.WatchLink != "" {
				text += "\nto watch: " + a.WatchLink
			}
			return text, err
		},
	}, s.netCommand()}
}
