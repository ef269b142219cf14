//go:build !js

package node

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/netip"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/metrics"
	"github.com/torc-engine/torc/node/internal/qr"
	"github.com/torc-engine/torc/node/internal/web"
)

// sweepTicks is the number of ticks between two looks at the browsers: a second.
const sweepTicks = 32

// tlsFolder is the folder of certificates in the data folder.
const tlsFolder = "tls"

var errNoBrowsers = errors.New("this server serves no client for browsers: start it with --web")

// browsers serves the browser client.
type browsers struct {
	*web.Listener
	cancel context.CancelFunc // of the build
	built  chan struct{}      // closed when the build has ended
}

// openWeb opens the TCP port, and begins to build the client.
func (s *Server) openWeb() error {
	w := s.cfg.Server.Web
	at := cmp.Or(w.Listen, s.Addr().String()) // UDP and TCP ports do not exclude each other
	o := web.Options{Address: at, Cert: w.Cert, Key: w.Key, Origins: w.Origins, Proxies: w.Proxies}
	if w.Domain != "" {
		o.ACME = web.ACME{Domain: w.Domain, Folder: s.core.Home.Path(tlsFolder), Warn: func(text string) { s.core.Post(func() { s.core.Log.Warn(text) }) }}
	}
	if !w.NoRTC {
		o.Socket, o.Public = s.core.Loop.Socket, w.Public
	}
	l, err := web.Listen(o)
	var taken *net.OpError
	if s.anyWebPort() && errors.As(err, &taken) {
		host, _, _ := net.SplitHostPort(at) // Listen has checked it
		o.Address = net.JoinHostPort(host, "0")
		l, err = web.Listen(o)
	}
	if err != nil {
		return &ConfigError{Field: "Web", Value: at, Err: err}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.web = &browsers{l, cancel, make(chan struct{})}
	if err := s.openNetPage(); err != nil {
		cancel()
		close(s.web.built)
		return err
	}
	s.core.Loop.Web, s.core.Loop.Other = l, s.other
	s.admin.Plain = s.tape.Plain(func(a netcore.Addr) bool { return a.Kind == netcore.AddrWeb && l.Plain(a) })
	ticks := 0
	s.core.Before(func() {
		if ticks++; ticks%sweepTicks == 0 {
			l.Sweep(s.peers)
			s.notePlain()
		}
	})
	go s.buildClient(ctx)
	return nil
}

// anyWebPort reports whether a taken TCP port can be replaced by another: nobody asked for its number.
func (s *Server) anyWebPort() bool {
	_, port, err := net.SplitHostPort(s.cfg.Server.Listen)
	return s.cfg.Server.Web.OtherPort || s.cfg.Server.Web.Listen == "" && err == nil && port == "0"
}

// peers yields the addresses of all connections.
func (s *Server) peers(yield func(netcore.Addr) bool) {
	for _, c := range s.core.Side.Host.Connections() {
		if !c.Bot() && !yield(c.Net().Addr()) {
			return
		}
	}
}

// buildClient makes the client, and tells the operator the link. It runs on a goroutine of its own.
func (s *Server) buildClient(ctx context.Context) {
	defer close(s.web.built)
	err := errors.Join(s.serveNetPage(), s.web.build(ctx, s.cfg.Server.Web))
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.core.Post(func() { s.core.Log.Warn("browsers cannot play: there is no client for them", "why", err) })
		s.web.Missing("The server has no client for browsers: " + err.Error() + ".")
	default:
		s.core.Post(func() { s.core.Print("play in a browser: " + s.Link()) })
	}
}

// build makes and publishes the client.
func (b *browsers) build(ctx context.Context, w *Web) error {
	folders := []fs.FS{w.Pages}
	if w.Build != nil {
		built, err := w.Build(ctx)
		if err != nil {
			return err
		}
		folders = append(folders, built)
	}
	return b.Publish(folders...)
}

// numbers returns the numbers of the browsers.
func (b *browsers) numbers() metrics.Browsers {
	return metrics.Browsers{Open: b.Open(), Lost: b.Lost(), Dropped: b.Dropped(), Strays: b.Strays()}
}

func (b *browsers) addr() netip.AddrPort { return b.Addr() }

func (b *browsers) site() string { return b.Listener.Site() }

// close ends the build and all connections of browsers.
func (b *browsers) close() {
	b.cancel()
	_ = b.Close() // browsers learn of it by the end of their connections
	<-b.built
}

// linkCommand is `link`.
func (s *Server) linkCommand() []console.Command {
	return []console.Command{{
		Name: "link", Help: "prints the link that opens the game in a browser, its QR code, and the link for spectators",
		Run: func([]string) (string, error) {
			if s.web == nil {
				return "", errNoBrowsers
			}
			code, err := qr.Text(s.Link())
			text := s.Link() + "\n" + code
			if watch := s.WatchLink(); watch != "" {
				text += "\nto watch: " + watch
			}
			return text, err
		},
	}}
}

// CompressBrotli compresses a file of the client, at a level of 0 to 11. A file NAME.br beside NAME is sent as it is.
func CompressBrotli(b []byte, level int) []byte { return web.Brotli(b, level) }

// CompressGzip does the same for NAME.gz, for browsers that do not take brotli.
func CompressGzip(b []byte) []byte { return web.Gzip(b) }
