package web

import (
	"io/fs"
	"net/http"
)

// The net page of the operator, and its stream.
const (
	netPath       = "/net"
	netStreamPath = "/net/stream"
)

// netPolicy is the Content-Security-Policy of the net page: nothing but the files of this server.
const netPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// netPage is the net page, and the handler of its stream.
type netPage struct {
	*pages
	stream http.Handler
}

// asset returns a file of the page, or nil.
func (n *netPage) asset(path string) *asset {
	if n == nil {
		return nil
	}
	return n.pages.asset(path)
}

// ServeNet serves the net page. Its files are public, and stream decides who gets the numbers.
func (l *Listener) ServeNet(files fs.FS, stream http.Handler) error {
	p, err := newPages(files)
	if err == nil {
		l.net.Store(&netPage{p, stream})
	}
	return err
}

// serveNet answers a request of the net page.
func (l *Listener) serveNet(w http.ResponseWriter, r *http.Request) {
	n := l.net.Load()
	switch {
	case n == nil:
		l.asset(w, r) // there is no such file
	case r.URL.Path == netPath:
		w.Header().Set("Content-Security-Policy", netPolicy)
		w.Header().Set("Cache-Control", never)
		send(w, r, n.index)
	default:
		n.stream.ServeHTTP(w, r)
	}
}
