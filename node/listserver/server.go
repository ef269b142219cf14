package listserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
	"github.com/torc-engine/torc/node/internal/bans"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/keys"
	"github.com/torc-engine/torc/node/internal/serverlist"
	"github.com/torc-engine/torc/node/internal/web"
)

// Config says how a rendezvous runs.
type Config struct {
	Listen string // HOST:PORT of the UDP socket; port 0 picks a free one
	Data   string // folder of its key, and of the files hidden and blocked; "" keeps nothing
	List   bool   // keep a public list
	// Via is HOST:PORT at which clients reach the rendezvous; "" is the host of the list's page and
	// the port of Listen.
	Via   string
	Pages *Pages       // serves the list over HTTP; nil serves none
	Log   *slog.Logger // nil discards
	Print func(text string)
}

// Pages says where the list is served over HTTP.
type Pages struct {
	Listen    string // HOST:PORT of the TCP port; "" is that of Config.Listen
	Cert, Key string // files of a certificate; "" serves plain HTTP
	Domain    string // a certificate for this name from Let's Encrypt instead; needs Config.Data
	Proxies   []string
}

// A Server is a running rendezvous. Its methods are for the goroutine of Run, unless they say
// otherwise.
type Server struct {
	cfg     Config
	socket  *udp.Socket
	folder  *data.Folder // nil: there is none
	service *rendezvous.Service
	list    *serverlist.List // nil: it keeps none
	names   names
	hidden  *bans.List
	blocked *bans.List
	console *console.Console
	pages   *web.PageServer // nil: there are none
	posts   chan func()
	gone    chan struct{}
	quit    bool
	began   time.Time
}

// New opens the folder and the ports.
func New(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg, hidden: &bans.List{}, blocked: &bans.List{}, names: names{}, posts: make(chan func()), gone: make(chan struct{}), began: time.Now()}
	if s.cfg.Log == nil {
		s.cfg.Log = slog.New(slog.DiscardHandler)
	}
	err := s.open()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) open() error {
	identity, err := s.openFolder()
	if err != nil {
		return err
	}
	if s.socket, err = udp.Listen(s.cfg.Listen); err != nil {
		return err
	}
	s.service = rendezvous.NewServiceAs(rand.Reader, identity)
	s.service.Refuse = func(key seal.Key, at netcore.Addr) bool { return s.has(s.blocked, key, at.AddrPort().Addr()) }
	if s.console, err = s.newConsole(); err != nil || !s.cfg.List {
		return err
	}
	via := cmp.Or(s.cfg.Via, net.JoinHostPort("", strconv.Itoa(int(s.Addr().Port()))))
	if !serverlist.ValidVia(via) {
		return fmt.Errorf("clients cannot reach the rendezvous at %q: it must be HOST:PORT, for example list.example.org:28000", via)
	}
	s.list = serverlist.New(serverlist.Config{
		Entropy: rand.Reader, Began: s.began.Unix(), Via: via, Resolve: s.resolve,
		Hidden: func(key seal.Key, at netip.Addr) bool { return s.has(s.hidden, key, at) || s.has(s.blocked, key, at) },
	})
	s.service.Renewed = func(key seal.Key, at netcore.Addr, public bool) { s.list.Heard(s.now(), key, at, public) }
	if s.cfg.Pages != nil {
		return s.openPages()
	}
	return nil
}

// openFolder opens the folder, and returns the key of the rendezvous.
func (s *Server) openFolder() (seal.KeyPair, error) {
	if s.cfg.Data == "" {
		return seal.NewIdentity(rand.Reader)
	}
	var err error
	if s.folder, err = data.Open(s.cfg.Data, true); err != nil {
		return seal.KeyPair{}, err
	}
	wrong := data.Editor{Wrong: func(err error) { s.cfg.Log.Warn(err.Error()) }}
	if s.hidden, err = bans.Open(s.folder.Path("hidden"), wrong); err != nil {
		return seal.KeyPair{}, err
	}
	if s.blocked, err = bans.Open(s.folder.Path("blocked"), wrong); err != nil {
		return seal.KeyPair{}, err
	}
	return keys.Identity(s.folder.Path("identity"), rand.Reader)
}

// has reports whether a list of keys and ranges has a server.
func (s *Server) has(l *bans.List, key seal.Key, at netip.Addr) bool {
	_, found := l.Find(key, at, s.began.Add(s.now()))
	return found
}

// Run answers until ctx ends, or the command quit. Close comes afterwards.
func (s *Server) Run(ctx context.Context) {
	defer close(s.gone)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for !s.quit {
		select {
		case p := <-s.socket.Packets():
			s.receive(p.From, p.Bytes())
			p.Free()
		case f := <-s.posts:
			f()
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if s.list != nil {
			s.list.Send(s.now(), s.send)
			timer.Reset(min(s.list.Due()-s.now(), time.Second))
		}
	}
}

// receive handles a datagram.
func (s *Server) receive(from netcore.Addr, b []byte) {
	if s.list != nil && query.Is(b) {
		s.list.Receive(s.now(), from, b)
		return
	}
	s.service.Receive(s.now(), from, b, s.send)
}

func (s *Server) send(to netcore.Addr, b []byte) { _ = s.socket.Write(to, b) } // a failed send is a lost packet

// Do runs f on the goroutine of Run, from any other, and waits for it. It returns false if Run has
// ended.
func (s *Server) Do(f func()) bool {
	done := make(chan struct{})
	select {
	case s.posts <- func() { f(); close(done) }:
		<-done
		return true
	case <-s.gone:
		return false
	}
}

// now is the time since the start.
func (s *Server) now() netcore.Time { return time.Since(s.began) }

// Console returns the console of the operator.
func (s *Server) Console() *console.Console { return s.console }

// Addr returns where the rendezvous listens. Any goroutine can call it.
func (s *Server) Addr() netip.AddrPort { return s.socket.Addr() }

// URL returns the page of the list; "" if there is none. Any goroutine can call it.
func (s *Server) URL() string {
	if s.pages == nil {
		return ""
	}
	return s.pages.URL()
}

// Reread reads the files hidden and blocked again.
func (s *Server) Reread() error {
	err := errors.Join(s.hidden.Reread(), s.blocked.Reread())
	s.service.Forget()
	return err
}

// Close gives back the ports and the folder, when Run has ended or never ran.
func (s *Server) Close() error {
	var err error
	if s.pages != nil {
		err = s.pages.Close()
	}
	if s.socket != nil {
		err = errors.Join(err, s.socket.Close())
	}
	if s.folder != nil {
		err = errors.Join(err, s.folder.Close())
	}
	return err
}
