package main

import (
	"encoding/pem"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestJoinByLinkOfATLSProxy: a proxy terminates TLS and passes requests on to the page of a server.
// The https link joins. It does not without a certificate that the system trusts, nor below a path.
func TestJoinByLinkOfATLSProxy(t *testing.T) {
	t.Parallel()
	var page atomic.Pointer[url.URL]
	proxy := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(page.Load())
		r.SetXForwarded()
		r.Out.Host = r.In.Host
	}})
	defer proxy.Close()
	server, address, key := serveOn(t, "--web", "127.0.0.1:0", "--web-origin", proxy.URL, "--web-proxy", "127.0.0.1", "--console", "line")
	server.say("status")
	web := regexp.MustCompile(`^web (\S+)`).FindStringSubmatch(server.expect("web "))
	page.Store(&url.URL{Scheme: "http", Host: web[1]})
	server.say("link")
	link := server.expect("https://")
	assert.Equal(t, proxy.URL+"/#"+key, link)

	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: proxy.Certificate().Raw})
	trusts := []string{"env", "SSL_CERT_FILE=" + file(t, "authority.pem", string(authority))}
	client := startWith(t, "", trusts, "join", link)
	client.expect("connected to " + address)
	client.quits()
	client = start(t, "join", link)
	client.ends(unconnected)
	assert.Contains(t, client.err.String(), "could not connect to "+proxy.URL+": the page does not answer (")
	assert.Contains(t, client.err.String(), "certificate")
	client = startWith(t, "", trusts, "join", proxy.URL+"/torc/#"+key)
	client.ends(misused)
	assert.Contains(t, client.err.String(), "is no link to a game: those are http://HOST[:PORT]/#KEY and https://HOST[:PORT]/#KEY")
}
