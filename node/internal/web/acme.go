package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/torc-engine/torc/node/internal/hosts"
)

const (
	httpsPort     = 443
	challengePort = "80" // where a CA looks for the answers to HTTP challenges
)

// ACME are the settings of certificates from a certificate authority (CA).
type ACME struct {
	Domain    string // the name of this server; "" asks for no certificate
	Folder    string // keeps the account and the certificates
	Directory string // URL of the CA; default Let's Encrypt
	HTTP      string // HOST:PORT for the challenges over HTTP; default port 80 of the host of Address
	// Warn gets a sentence when there is no certificate. It runs on any goroutine.
	Warn func(text string)
}

// authority gets certificates for one domain from a CA, and renews them.
type authority struct {
	ACME
	manager *autocert.Manager
	files   *files
	site    string // https://DOMAIN[:PORT]

	mu   sync.Mutex
	last string // the newest warning
}

// newAuthority checks the settings. The CA can only reach a name.
func newAuthority(o ACME) (*authority, error) {
	if _, err := netip.ParseAddr(o.Domain); err == nil || !strings.Contains(o.Domain, ".") || strings.ContainsAny(o.Domain, ":/ *") {
		return nil, fmt.Errorf("%q must be a public name of this server, for example play.example.org", o.Domain)
	}
	if o.Folder == "" {
		return nil, errors.New("certificates need a data folder")
	}
	o.Domain = strings.ToLower(o.Domain)
	files := &files{DirCache: autocert.DirCache(o.Folder)}
	return &authority{ACME: o, files: files, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: files, HostPolicy: autocert.HostWhitelist(o.Domain),
		Client: &acme.Client{DirectoryURL: cmp.Or(o.Directory, autocert.DefaultACMEDirectory)},
	}}, nil
}

// listens notes the port of the server, and returns the origin of its pages.
func (a *authority) listens(port uint16) string {
	a.site = "https://" + a.Domain
	if port != httpsPort {
		a.site += ":" + strconv.Itoa(int(port))
	}
	return a.site
}

// config returns the settings of TLS. A CA can prove the domain over TLS itself.
func (a *authority) config() *tls.Config {
	return &tls.Config{GetCertificate: a.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1", acme.ALPNProto}}
}

// get returns the certificate. The first one takes some seconds.
func (a *authority) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c, err := a.manager.GetCertificate(hello)
	if err != nil && strings.EqualFold(hello.ServerName, a.Domain) { // strangers can ask for any other name
		a.warn(fmt.Sprintf("there is no certificate for %s: %v", a.Domain, err))
	}
	return c, err
}

// warn passes a sentence on, unless it is the same as before.
func (a *authority) warn(text string) {
	a.mu.Lock()
	known := a.last == text || a.Warn == nil
	tell := a.Warn
	a.last = text
	a.mu.Unlock()
	if !known {
		tell(text)
	}
}

// close ends the warnings and the changes of files. A request to the CA may go on, and has no
// effect.
func (a *authority) close() {
	a.mu.Lock()
	a.Warn = nil
	a.mu.Unlock()
	a.files.close()
}

// ask gets the first certificate before anybody visits.
func (a *authority) ask() {
	_, _ = a.get(&tls.ClientHelloInfo{ // get warns
		ServerName: a.Domain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256}, SupportedCurves: []tls.CurveID{tls.CurveP256},
	})
}

// serveChallenges answers the challenges of a CA over HTTP, and sends everybody else to the site.
// If the port is taken or forbidden, the CA must use TLS, which needs port 443.
// It returns nil then.
func (a *authority) serveChallenges(port uint16, p proxies, host string) *http.Server {
	address := cmp.Or(a.HTTP, net.JoinHostPort(host, challengePort))
	tcp, err := listen(address)
	if err != nil {
		if port != httpsPort {
			a.warn(fmt.Sprintf("a CA can prove %s only at port 443, or at port 80 over HTTP, and port 80 fails: %v", a.Domain, err))
		}
		return nil
	}
	challenges := newHTTPServer(a.manager.HTTPHandler(http.HandlerFunc(a.redirect)))
	go func() { _ = challenges.Serve(newSockets(tcp, p)) }()
	return challenges
}

// redirect sends a browser to the site.
func (a *authority) redirect(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(hosts.Name(r.Host), a.Domain) {
		http.Error(w, "this server is "+a.Domain, http.StatusForbidden)
		return
	}
	http.Redirect(w, r, a.site+r.URL.RequestURI(), http.StatusFound)
}

// files are the account and the certificates. autocert goes on in goroutines that nobody can wait
// for: once closed, they change no file any more.
type files struct {
	autocert.DirCache
	mu     sync.RWMutex // held for reading while a file changes
	closed bool
}

var errFilesClosed = errors.New("the server is closing")

// Put writes a file.
func (f *files) Put(ctx context.Context, name string, data []byte) error {
	return f.change(func() error { return f.DirCache.Put(context.WithoutCancel(ctx), name, data) })
}

// Delete removes a file.
func (f *files) Delete(ctx context.Context, name string) error {
	return f.change(func() error { return f.DirCache.Delete(context.WithoutCancel(ctx), name) })
}

// change calls a function that ends when its change of a file has ended: with a context that can be
// cancelled, DirCache would return earlier.
func (f *files) change(change func() error) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return errFilesClosed
	}
	return change()
}

// close waits for the changes that have begun.
func (f *files) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
}
