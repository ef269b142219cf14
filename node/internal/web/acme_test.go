package web

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/acme"

	"github.com/torc-engine/torc/internal/testenv"
)

const testDomain = "play.example.org"

// fakeCA is a certificate authority that speaks ACME. It checks the challenge of each order, and no
// signatures.
type fakeCA struct {
	*httptest.Server
	key   *ecdsa.PrivateKey
	root  *x509.Certificate
	check func(token string) error // proves the domain
	kind  string                   // of challenge

	mu     sync.Mutex
	orders int
	valid  bool
	leaf   []byte
}

func newFakeCA(t *testing.T, kind string) *fakeCA {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fake"}, IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	root, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	ca := &fakeCA{key: key, root: root, kind: kind}
	ca.Server = httptest.NewServer(ca)
	t.Cleanup(ca.Close)
	return ca
}

func (ca *fakeCA) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	w.Header().Set("Replay-Nonce", rand.Text())
	at := func(path string) string { return ca.URL + path }
	var said struct{ Payload string }
	_ = json.NewDecoder(r.Body).Decode(&said)
	payload, _ := base64.RawURLEncoding.DecodeString(said.Payload)
	status := map[bool]string{false: "pending", true: "valid"}[ca.valid]
	answer := func(code int, v any) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v)
	}
	challenge := map[string]any{"type": ca.kind, "url": at("/challenge"), "token": "a-token", "status": status}
	order := map[string]any{
		"status": map[bool]string{false: "pending", true: "ready"}[ca.valid], "authorizations": []string{at("/authz")}, "finalize": at("/finalize"),
		"identifiers": []any{map[string]string{"type": "dns", "value": testDomain}},
	}
	switch r.URL.Path {
	case "/":
		answer(200, map[string]any{"newNonce": at("/nonce"), "newAccount": at("/account"), "newOrder": at("/order"), "revokeCert": at("/revoke"), "keyChange": at("/change")})
	case "/nonce":
	case "/account":
		w.Header().Set("Location", at("/account/1"))
		answer(201, map[string]string{"status": "valid"})
	case "/order":
		ca.orders++
		ca.valid = false
		order["status"] = "pending"
		w.Header().Set("Location", at("/order/1"))
		answer(201, order)
	case "/authz":
		answer(200, map[string]any{"status": status, "identifier": map[string]string{"type": "dns", "value": testDomain}, "challenges": []any{challenge}})
	case "/challenge":
		if err := ca.check("a-token"); err != nil {
			answer(403, map[string]string{"type": "urn:ietf:params:acme:error:unauthorized", "detail": err.Error()})
			return
		}
		ca.valid = true
		challenge["status"] = "valid"
		answer(200, challenge)
	case "/finalize":
		var csr struct{ CSR string }
		_ = json.Unmarshal(payload, &csr)
		if err := ca.issue(csr.CSR); err != nil {
			answer(400, map[string]string{"detail": err.Error()})
			return
		}
		w.Header().Set("Location", at("/order/1"))
		order["status"], order["certificate"] = "valid", at("/certificate")
		answer(200, order)
	case "/order/1":
		answer(200, order)
	case "/certificate":
		_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: ca.leaf})
		_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: ca.root.Raw})
	default:
		http.NotFound(w, r)
	}
}

// issue signs a request.
func (ca *fakeCA) issue(text string) error {
	der, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	csr, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: csr.DNSNames, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour)}
	ca.leaf, err = x509.CreateCertificate(rand.Reader, template, ca.root, csr.PublicKey, ca.key)
	return err
}

// checkTLS proves the domain over TLS, as at port 443.
func checkTLS(address string) error {
	c, err := tls.Dial("tcp", address, &tls.Config{ServerName: testDomain, NextProtos: []string{acme.ALPNProto}, InsecureSkipVerify: true})
	if err != nil {
		return err
	}
	defer c.Close()
	if p := c.ConnectionState().NegotiatedProtocol; p != acme.ALPNProto {
		return fmt.Errorf("protocol %q", p)
	}
	for _, e := range c.ConnectionState().PeerCertificates[0].Extensions {
		if e.Id.String() == "1.3.6.1.5.5.7.1.31" {
			return nil
		}
	}
	return fmt.Errorf("no proof in the certificate")
}

// visit returns the answer of a server with a certificate of the CA.
func (ca *fakeCA) visit(address, url string) (*http.Response, error) {
	roots := x509.NewCertPool()
	roots.AddCert(ca.root)
	tr := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return net.Dial("tcp", address) },
		DisableKeepAlives: true,
	}
	return tr.RoundTrip(httptest.NewRequest(http.MethodGet, url, nil))
}

// openACME opens a server with a certificate of the CA.
func openACME(t *testing.T, ca *fakeCA, folder string, o ACME) *Listener {
	o.Domain, o.Folder, o.Directory = testDomain, folder, ca.URL
	if o.HTTP == "" {
		o.HTTP = "127.0.0.1:0"
	}
	return open(t, Options{ACME: o})
}

// TestCertificateOfACA: the certificate is there without a visit, stays in the folder, and only its
// owner can read it.
func TestCertificateOfACA(t *testing.T) {
	ca := newFakeCA(t, "tls-alpn-01")
	folder := filepath.Join(t.TempDir(), "tls")
	var at string
	opened := make(chan struct{})
	ca.check = func(string) error { <-opened; return checkTLS(at) }
	l := openACME(t, ca, folder, ACME{Warn: func(text string) { t.Error(text) }})
	at = l.Addr().String()
	close(opened)
	assert.Equal(t, "https", l.Scheme())
	site := fmt.Sprintf("https://%s:%d", testDomain, l.Addr().Port())
	assert.Equal(t, []string{site}, l.Origins())
	l.Missing("nothing")
	r, err := ca.visit(at, site+"/")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	assert.Equal(t, http.StatusServiceUnavailable, r.StatusCode)
	_, err = tls.Dial("tcp", at, &tls.Config{ServerName: "other.example.org", InsecureSkipVerify: true})
	assert.Error(t, err, "no certificate for another name")

	for limit := testenv.Limit(t); ; testenv.Pause() { // the certificate is used before it is saved
		if _, err := os.Stat(filepath.Join(folder, testDomain)); err == nil {
			break
		}
		require.False(t, testenv.Expired(limit))
	}
	info, err := os.Stat(folder)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), f.Name())
	}

	again := openACME(t, ca, folder, ACME{})
	r, err = ca.visit(again.Addr().String(), fmt.Sprintf("https://%s:%d/", testDomain, again.Addr().Port()))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	assert.Equal(t, 1, ca.orders, "a restart asks for no new certificate")
}

// TestChallengeOverHTTP: a CA can use port 80. Everybody else is sent to the site there.
func TestChallengeOverHTTP(t *testing.T) {
	ca := newFakeCA(t, "http-01")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := free.Addr().String()
	require.NoError(t, free.Close())
	ask := func(host, path string) (*http.Response, error) {
		q := httptest.NewRequest(http.MethodGet, "http://"+at+path, nil)
		q.Host = host
		return (&http.Transport{DisableKeepAlives: true}).RoundTrip(q)
	}
	ca.check = func(token string) error {
		r, err := ask(testDomain, "/.well-known/acme-challenge/"+token)
		if err != nil {
			return err
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err == nil && (r.StatusCode != http.StatusOK || len(b) < len(token)) {
			err = fmt.Errorf("status %d, %q", r.StatusCode, b)
		}
		return err
	}
	l := openACME(t, ca, t.TempDir(), ACME{HTTP: at, Warn: func(text string) { t.Error(text) }})
	site := fmt.Sprintf("https://%s:%d", testDomain, l.Addr().Port())
	r, err := ca.visit(l.Addr().String(), site+"/")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	for host, want := range map[string]int{testDomain: http.StatusFound, testDomain + ":80": http.StatusFound, "evil.example": http.StatusForbidden} {
		r, err := ask(host, "/watch?x")
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		assert.Equal(t, want, r.StatusCode, host)
		if want == http.StatusFound {
			assert.Equal(t, site+"/watch?x", r.Header.Get("Location"))
		}
	}
}

// TestNoCertificate: the operator is told why, and once.
func TestNoCertificate(t *testing.T) {
	ca := newFakeCA(t, "tls-alpn-01")
	ca.check = func(string) error { return fmt.Errorf("nobody answers at port 443") }
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	warned := make(chan string, 10)
	l := openACME(t, ca, t.TempDir(), ACME{HTTP: taken.Addr().String(), Warn: func(text string) { warned <- text }})
	for _, want := range []string{"only at port 443, or at port 80 over HTTP, and port 80 fails", "there is no certificate for play.example.org: "} {
		select {
		case text := <-warned:
			assert.Contains(t, text, want)
		case <-testenv.Limit(t):
			require.FailNow(t, want)
		}
	}
	_, err = ca.visit(l.Addr().String(), "https://"+testDomain+"/")
	assert.Error(t, err)
	said := 0
	a := &authority{ACME: ACME{Warn: func(string) { said++ }}}
	for range 3 {
		a.warn("again")
	}
	assert.Equal(t, 1, said)
}

// TestBadDomains: a CA gives certificates for public names.
func TestBadDomains(t *testing.T) {
	for _, bad := range []string{"192.0.2.1", "localhost", "play.example.org:443", "https://play.example.org", "*.example.org", "2001:db8::1", "a b.example"} {
		_, err := Listen(Options{Address: "127.0.0.1:0", ACME: ACME{Domain: bad, Folder: t.TempDir()}})
		assert.ErrorContains(t, err, "must be a public name", bad)
	}
	_, err := Listen(Options{Address: "127.0.0.1:0", ACME: ACME{Domain: testDomain}})
	assert.ErrorContains(t, err, "data folder")
}

// TestClosedAuthority: autocert goes on after the server has ended. It changes no file then, nobody
// is warned, and a change that has begun ends first.
func TestClosedAuthority(t *testing.T) {
	folder := t.TempDir()
	ca, err := newAuthority(ACME{Domain: testDomain, Folder: folder, Warn: func(text string) { t.Error(text) }})
	require.NoError(t, err)
	require.NoError(t, ca.files.Put(t.Context(), "before", []byte("kept")))
	closed := make(chan struct{})
	var ended bool
	require.NoError(t, ca.files.change(func() error {
		go func() { defer close(closed); ca.close() }()
		for ca.files.mu.TryRLock() { // until close waits
			ca.files.mu.RUnlock()
			select {
			case <-closed:
				t.Fatal("close did not wait")
			default:
				runtime.Gosched()
			}
		}
		ended = true
		return nil
	}))
	<-closed
	assert.True(t, ended)
	assert.ErrorIs(t, ca.files.Put(t.Context(), "after", nil), errFilesClosed)
	assert.ErrorIs(t, ca.files.Delete(t.Context(), "before"), errFilesClosed)
	ca.warn("nobody hears this")
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, "before", files[0].Name())
}
