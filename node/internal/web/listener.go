package web

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
	"github.com/torc-engine/torc/node/internal/hosts"
)

const (
	socketPath  = "/ws"
	subprotocol = "torc"

	headerTime = 10 * time.Second // for a request, and for a TLS handshake
	answerTime = 2 * time.Minute  // for a browser to read an answer: 3 MB at 25 kB/s
	idleTime   = 30 * time.Second // between two requests
	maxHeader  = 8 << 10          // bytes
)

// Options are the settings of a Listener.
type Options struct {
	Address   string      // HOST:PORT; port 0 picks a free one
	Cert, Key string      // files of the TLS certificate and its key; "" serves plain HTTP
	ACME      ACME        // a certificate from a CA instead
	Origins   []string    // https://HOST[:PORT], also with /s/NAME/ of this server
	Proxies   []string    // IP addresses and ranges of reverse proxies
	Socket    *udp.Socket // of the game, for WebRTC; nil has none
	NetOnly   bool        // there is no game, only the net page
	Public    []string    // IP addresses where browsers reach Socket, besides the addresses that the server knows
	Game      Game        // for programs that have a link
}

// Listener serves the client and carries the datagrams of its users.
type Listener struct {
	*peers
	listener   net.Listener
	sockets    *sockets // of listener
	http       *http.Server
	ca         *authority        // nil: there is none
	challenges *http.Server      // of the CA; nil: they come over TLS
	origins    []string          // of Options, as browsers write them
	places     map[string]string // of this server at an origin, by the origin; see place
	gate       atomic.Pointer[gate]
	frames     atomic.Pointer[[]string] // the origins of pages that can show the page in a frame
	rtc        *rtc                     // nil: there is no WebRTC
	public     []netip.Addr
	proxies    proxies
	game       Game
	secure     bool
	netOnly    bool
	voice      atomic.Bool // players can talk
	state      atomic.Pointer[state]
	net        atomic.Pointer[netPage]
}

// state is what the page shows.
type state struct {
	pages    *pages
	building bool
	why      string // there are no pages
}

// Listen opens the server.
func Listen(o Options) (*Listener, error) {
	l := &Listener{peers: newPeers(), game: o.Game, netOnly: o.NetOnly, secure: o.Cert != "" || o.Key != "" || o.ACME.Domain != ""}
	certificates, ca, err := tlsConfig(o)
	if err != nil {
		return nil, err
	}
	if l.public, err = parseAddresses(o.Public); err != nil {
		return nil, err
	}
	if l.proxies, err = parseProxies(o.Proxies); err != nil {
		return nil, err
	}
	tcp, err := listen(o.Address)
	if err != nil {
		return nil, err
	}
	at, _ := netip.ParseAddrPort(tcp.Addr().String()) // a TCP address is valid
	var first []string
	if ca != nil {
		first = []string{ca.listens(at.Port())}
	}
	if err := l.admit(hosts.Addr(tcp.Addr()), first, o); err != nil {
		return nil, errors.Join(err, tcp.Close())
	}
	l.sockets = newSockets(tcp, l.proxies)
	l.listener = l.sockets
	if l.secure {
		l.listener = tls.NewListener(l.listener, certificates)
	}
	l.Building()
	l.serve()
	if ca != nil {
		host, _, _ := net.SplitHostPort(o.Address) // it is open
		l.ca = ca
		l.challenges = ca.serveChallenges(at.Port(), l.proxies, host)
		go ca.ask()
	}
	return l, nil
}

// admit decides who can connect to an address: browsers of the first origins and of those in the
// options, and WebRTC over the socket, if there is one.
func (l *Listener) admit(address netip.Addr, first []string, o Options) error {
	origins, places, err := cutPlaces(o.Origins)
	if err != nil {
		return err
	}
	g, err := newGate(address, l.secure, append(first, origins...))
	if err != nil {
		return err
	}
	l.origins, l.places = g.origins, places
	l.gate.Store(g)
	if o.Socket != nil {
		l.rtc, err = newRTC(o.Socket)
	}
	return err
}

// listen opens the TCP port.
func listen(address string) (net.Listener, error) {
	family := "tcp"
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().Is4() {
		family = "tcp4" // "tcp" takes 0.0.0.0 for the addresses of both families
	}
	return net.Listen(family, address)
}

// tlsConfig returns the settings of TLS, nil for plain HTTP, and the CA if there is one. A renewed
// certificate needs no restart.
func tlsConfig(o Options) (*tls.Config, *authority, error) {
	if o.ACME.Domain != "" {
		ca, err := newAuthority(o.ACME)
		if err != nil {
			return nil, nil, err
		}
		return ca.config(), ca, nil
	}
	if o.Cert == "" && o.Key == "" {
		return nil, nil, nil
	}
	files := &certificate{cert: o.Cert, key: o.Key}
	if _, err := files.get(nil); err != nil {
		return nil, nil, err
	}
	return &tls.Config{GetCertificate: files.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil, nil
}

// connection is the key of the net.Conn in the context of a request.
type connection struct{}

// serve begins to answer requests. Close ends it.
func (l *Listener) serve() {
	l.http = newHTTPServer(l)
	l.http.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connection{}, c) }
	go func() { _ = l.http.Serve(l.listener) }()
}

// newHTTPServer returns a server with limits.
func newHTTPServer(h http.Handler) *http.Server {
	var one http.Protocols
	one.SetHTTP1(true) // WebSockets need it, and the page has few files
	return &http.Server{
		Handler: h, MaxHeaderBytes: maxHeader, Protocols: &one, ConnState: watchState,
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		ErrorLog: log.New(io.Discard, "", 0), // browsers are told their errors themselves
	}
}

// SetLimits replaces the limits by address. Existing connections stay.
func (l *Listener) SetLimits(limits netcore.Limits) {
	l.sockets.setLimits(limits)
	l.peers.setLimits(limits)
}

// Addr returns where the server listens.
func (l *Listener) Addr() netip.AddrPort {
	at, _ := netip.ParseAddrPort(l.listener.Addr().String()) // a TCP address is valid
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// Scheme returns http or https.
func (l *Listener) Scheme() string { return l.gate.Load().scheme }

// Origins returns the further origins: those of Options, then those of SetOrigins.
func (l *Listener) Origins() []string { return l.gate.Load().origins }

// Building says that the client is being built: the page asks again.
func (l *Listener) Building() {
	l.state.Store(&state{building: true, why: "The server is preparing the client. This page loads as soon as it is ready."})
}

// Missing says why there is no client. The page shows it.
func (l *Listener) Missing(why string) { l.state.Store(&state{why: why}) }

// Publish makes the page of the files in all folders. A file of a later folder replaces one of the
// same name. It reads and hashes the files, so do not call it on the owner's goroutine.
func (l *Listener) Publish(folders ...fs.FS) error {
	p, err := newPages(folders...)
	if err == nil {
		l.state.Store(&state{pages: p})
	}
	return err
}

// socket carries a WebSocket.
func (l *Listener) socket(w http.ResponseWriter, r *http.Request) {
	ip, err := l.proxies.client(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !slices.Contains(protocols(r), subprotocol) {
		http.Error(w, "the subprotocol must be "+subprotocol, http.StatusBadRequest)
		return
	}
	p, ok := l.reserve(ip, l.isSecure(r))
	if !ok {
		w.Header().Set("Retry-After", "30")
		http.Error(w, "your address has too many connections that are not in the game: the operator can raise sv.addressLimit", http.StatusTooManyRequests)
		return
	}
	defer l.release(p)
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true, // the gate has checked the origin
		OnPingReceived:     func(context.Context, []byte) bool { p.pace.wait(); return true },
		OnPongReceived:     func(context.Context, []byte) { p.pace.wait() },
	})
	if err != nil {
		return // Accept has answered
	}
	of := r.Context().Value(connection{}).(net.Conn)
	upgraded(of)
	l.opened(p)
	l.run(p, &socketLine{c, of})
}

// protocols returns the subprotocols that a browser offers.
func protocols(r *http.Request) (all []string) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(name))
		}
	}
	return all
}

// upgraded says that a connection carries a WebSocket.
func upgraded(c net.Conn) {
	if k, ok := socketOf(c); ok {
		k.upgraded()
	}
}

// Close ends the server, its connections and its goroutines. Packets that wait for a peer are sent
// for a second at most.
func (l *Listener) Close() error {
	l.peers.close()
	if l.challenges != nil {
		_ = l.challenges.Close() // it only answers
	}
	err := l.http.Close()
	if l.ca != nil {
		l.ca.close()
	}
	return err
}
