package nginxtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Host is the name of the site in docs/fleet.md.
const Host = "fleet.example.org"

// Proxy is nginx in front of several servers, at a free port of this machine.
type Proxy struct {
	Origin string // https://HOST:PORT, as browsers know it

	program  string
	listener *net.TCPListener
	roots    *x509.CertPool
	cert     []byte // PEM
	key      []byte // PEM
}

// New opens the port. It skips the test without nginx. Until Start, connections wait.
func New(t *testing.T) *Proxy {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program = "/usr/sbin/nginx"; !executable(program) {
			t.Skip("there is no nginx: install nginx-light")
		}
	}
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() }) // Start closes it, too
	p := &Proxy{Origin: fmt.Sprintf("https://%s:%d", Host, l.Addr().(*net.TCPAddr).Port), program: program, listener: l}
	p.certify(t)
	return p
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// certify makes a certificate.
func (p *Proxy) certify(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: Host}, DNSNames: []string{Host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	p.cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	p.key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	p.roots = x509.NewCertPool()
	p.roots.AppendCertsFromPEM(p.cert)
}

// Start runs nginx until the test ends. servers are the addresses of the servers by the names that
// the page gives them.
func (p *Proxy) Start(t *testing.T, servers map[string]netip.AddrPort) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cert.pem"), p.cert, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "key.pem"), p.key, 0o600))
	config := filepath.Join(dir, "nginx.conf")
	require.NoError(t, os.WriteFile(config, []byte(p.config(t, dir, servers)), 0o600))
	socket, err := p.listener.File()
	require.NoError(t, err)
	nginx := exec.Command(p.program, "-p", dir, "-c", config, "-e", "stderr")
	nginx.Env = append(os.Environ(), "NGINX=3;") // it takes over this socket, so no port is lost to others
	nginx.ExtraFiles = []*os.File{socket}
	nginx.Stderr = t.Output()
	nginx.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // it ends with the test, whatever ends that
	require.NoError(t, nginx.Start())
	_ = socket.Close()     // nginx has it
	_ = p.listener.Close() // likewise
	t.Cleanup(func() {
		_ = nginx.Process.Signal(syscall.SIGTERM) // it has ended, or ends its workers
		_ = nginx.Wait()
	})
}

// block is the example in docs/fleet.md.
var block = regexp.MustCompile("(?s)```nginx\n(.+?)```")

// config returns the file of nginx: the example of the page, with the ports and files of the test.
func (p *Proxy) config(t *testing.T, dir string, servers map[string]netip.AddrPort) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	page, err := os.ReadFile(filepath.Join(filepath.Dir(here), "..", "..", "docs", "fleet.md"))
	require.NoError(t, err)
	found := block.FindStringSubmatch(string(page))
	require.NotNil(t, found, "docs/fleet.md has no example of nginx")
	changes := map[string]string{
		`listen 443 ssl;`:              fmt.Sprintf("listen %s ssl;", p.listener.Addr()),
		`ssl_certificate +[^ ;]+;`:     "ssl_certificate " + dir + "/cert.pem;",
		`ssl_certificate_key +[^ ;]+;`: "ssl_certificate_key " + dir + "/key.pem;",
		`server_name ` + Host + `;`:    "server_name " + Host + ";", // it is there
	}
	for name, at := range servers {
		changes[`(location /s/`+name+`/ +\{ proxy_pass http://)[^;]+`] = "${1}" + at.String()
	}
	text := found[1]
	for from, to := range changes { // any order: they change different lines
		pattern := regexp.MustCompile(from)
		require.Len(t, pattern.FindAllString(text, -1), 1, "docs/fleet.md: %s", from)
		text = pattern.ReplaceAllString(text, to)
	}
	var temporary strings.Builder
	for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temporary, "%s_temp_path %s;\n", of, filepath.Join(dir, of))
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n" // the folder of a test is closed to others
	}
	return user + "daemon off;\npid " + dir + "/pid;\nevents {}\nhttp {\naccess_log off;\n" + temporary.String() + text + "}\n"
}

// Client returns a browser without a page, at an address of this machine.
func (p *Proxy) Client(t *testing.T, from string) *http.Client {
	t.Helper()
	at := p.listener.Addr().String()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: p.roots},
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, "tcp", at) },
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
