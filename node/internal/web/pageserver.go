package web

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
)

// A PageServer serves pages that are no game, with the same limits of TCP connections and the same
// certificates as a Listener.
type PageServer struct {
	at         netip.AddrPort
	scheme     string
	http       *http.Server
	ca         *authority   // nil: there is none
	challenges *http.Server // of the CA; nil: they come over TLS
}

// ServePages opens a server. It reads Address, Cert, Key, ACME and Proxies of the options.
func ServePages(o Options, h http.Handler) (*PageServer, error) {
	certificates, ca, err := tlsConfig(o)
	if err != nil {
		return nil, err
	}
	p, err := parseProxies(o.Proxies)
	if err != nil {
		return nil, err
	}
	tcp, err := listen(o.Address)
	if err != nil {
		return nil, err
	}
	at, _ := netip.ParseAddrPort(tcp.Addr().String()) // a TCP address is valid
	s := &PageServer{at: netip.AddrPortFrom(at.Addr().Unmap(), at.Port()), scheme: "http", http: newHTTPServer(h), ca: ca}
	var l net.Listener = newSockets(tcp, p)
	if certificates != nil {
		s.scheme, l = "https", tls.NewListener(l, certificates)
	}
	go func() { _ = s.http.Serve(l) }()
	if ca != nil {
		ca.listens(at.Port())
		host, _, _ := net.SplitHostPort(o.Address) // it is open
		s.challenges = ca.serveChallenges(at.Port(), p, host)
		go ca.ask()
	}
	return s, nil
}

// URL returns the address of the pages, as this machine sees it.
func (s *PageServer) URL() string { return s.scheme + "://" + s.at.String() }

// Close ends the server and its connections.
func (s *PageServer) Close() error {
	err := s.http.Close()
	if s.challenges != nil {
		err = errors.Join(err, s.challenges.Close())
	}
	if s.ca != nil {
		s.ca.close()
	}
	return err
}
