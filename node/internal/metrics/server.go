//go:build !js

package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/torc-engine/torc/node/internal/hosts"
)

const (
	waiting    = 4                // requests that wait for the owner at a time
	answerTime = 5 * time.Second  // maximum time to answer a request
	clientTime = 10 * time.Second // for a client to send its request, and to read the answer
	maxHeader  = 8 << 10          // bytes of a request's header
	endTime    = time.Second      // for answers in flight when the server is closed
)

// draining answers /healthz while the server drains.
const draining = "draining"

// Listener passes scrapes to the owner of the numbers.
type Listener struct {
	listener net.Listener
	http     *http.Server
	requests chan *Request
	hosts    hosts.Allowed
	name     string // of the server in its fleet, the label of all metrics; "" without one
}

// A Request waits for the current numbers.
type Request struct {
	Health bool // any answer proves that the server runs, and draining says that it ends soon
	reply  chan string
}

// Answer answers the request. Only the first call counts.
func (r *Request) Answer(text string) {
	select {
	case r.reply <- text:
	default:
	}
}

// Address returns the address to listen on for a typed HOST:PORT. Without HOST, only this machine
// can connect.
func Address(typed string) (string, error) {
	host, port, err := net.SplitHostPort(typed)
	if err != nil {
		return "", errors.New("must be HOST:PORT, for example 127.0.0.1:9100")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Listen opens a server at an address from Address. name is that of the server in its fleet.
func Listen(address, name string) (*Listener, error) {
	family := "tcp"
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().Is4() {
		family = "tcp4" // "tcp" takes 0.0.0.0 for the addresses of both families
	}
	l, err := net.Listen(family, address)
	if err != nil {
		return nil, err
	}
	s := &Listener{listener: l, requests: make(chan *Request, waiting), name: name, hosts: hosts.Allowed{Listen: hosts.Addr(l.Addr())}}
	if name := strings.ToLower(hosts.Name(address)); isName(name) {
		s.hosts.Names = []string{name, fmt.Sprintf("%s:%d", name, l.Addr().(*net.TCPAddr).Port)}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /healthz", s.health)
	s.http = &http.Server{
		Handler: s.ours(mux), MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: clientTime, ReadTimeout: clientTime, WriteTimeout: clientTime + answerTime, IdleTimeout: time.Minute,
		ErrorLog: log.New(io.Discard, "", 0), // clients are told their errors themselves
	}
	go func() { _ = s.http.Serve(l) }() // it ends with Close
	return s, nil
}

// Addr returns the address of the server.
func (s *Listener) Addr() net.Addr { return s.listener.Addr() }

// Requests returns the channel of scrapes. The owner reads it when it has time.
func (s *Listener) Requests() <-chan *Request { return s.requests }

// Close ends the server. Open requests get an empty answer, or end within a second.
func (s *Listener) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	for done := false; !done; {
		select {
		case r := <-s.requests:
			r.Answer("")
		default:
			done = true
		}
	}
	if err := s.http.Shutdown(ctx); err != nil {
		return s.http.Close()
	}
	return nil
}

// ours refuses requests that name another server, as pages of other sites do.
func (s *Listener) ours(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hosts.Has(r.Host, hosts.Local(r)) {
			http.Error(w, fmt.Sprintf("this server is not %q: use its IP address, or name it with --metrics NAME:PORT", r.Host), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Listener) metrics(w http.ResponseWriter, r *http.Request) {
	text, ok := s.ask(w, r, &Request{reply: make(chan string, 1)})
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, Labelled(text+Process(), s.name)) // a client that has left needs no answer
}

func (s *Listener) health(w http.ResponseWriter, r *http.Request) {
	text, ok := s.ask(w, r, &Request{Health: true, reply: make(chan string, 1)})
	switch {
	case !ok:
	case text == draining:
		_, _ = io.WriteString(w, draining+"\n")
	default:
		_, _ = io.WriteString(w, "ok\n")
	}
}

// ask passes a request to the owner and waits for the answer. If none comes, it sends the client an
// error.
func (s *Listener) ask(w http.ResponseWriter, r *http.Request, q *Request) (string, bool) {
	select {
	case s.requests <- q:
	default:
		http.Error(w, "too many requests at the same time", http.StatusServiceUnavailable)
		return "", false
	}
	patience := time.NewTimer(answerTime)
	defer patience.Stop()
	select {
	case text := <-q.reply:
		return text, true
	case <-patience.C:
		http.Error(w, "the server does not answer", http.StatusServiceUnavailable)
	case <-r.Context().Done():
	}
	return "", false
}

// isName reports whether the operator named a host, and gave no IP address.
func isName(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil
}
