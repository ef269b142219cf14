package natsfleet

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/torc-engine/torc/internal/names"
)

// Config says how a server reaches NATS.
type Config struct {
	URLs   []string       // nats://[USER:PASSWORD@]HOST:PORT or tls://…
	Creds  string         // a file with credentials of NATS; "" for none
	Prefix string         // of all subjects and buckets: 1 to 32 of a–z, 0–9 and -; "" for torc
	Plain  bool           // allows nats:// to other machines, which encrypts nothing
	Roots  *x509.CertPool // that sign for NATS; nil: those of the system
}

// maxURLs is the highest number of NATS servers.
const maxURLs = 32

// Check returns what is wrong with the settings, in one sentence.
func (c Config) Check() error {
	if len(c.URLs) == 0 || len(c.URLs) > maxURLs {
		return fmt.Errorf("a fleet needs 1 to %d URLs of NATS servers, not %d", maxURLs, len(c.URLs))
	}
	if c.Prefix != "" && !names.Server(c.Prefix) {
		return fmt.Errorf("%q is not a prefix of a fleet: 1 to %d of a-z, 0-9 and -", c.Prefix, maxName)
	}
	secure := 0
	for _, text := range c.URLs {
		u, err := url.Parse(text)
		switch {
		case err != nil || u.Host == "" || u.Path != "" || u.RawQuery != "":
			return fmt.Errorf("%s must be nats://HOST:PORT or tls://HOST:PORT", redacted(text))
		case u.Scheme == "tls":
			secure++
		case u.Scheme != "nats":
			return fmt.Errorf("%s must begin with nats:// or tls://", redacted(text))
		case !c.Plain && !loopback(u.Hostname()):
			return fmt.Errorf("nats://%s encrypts nothing: use tls://, or --fleet-plain in a network that you trust", u.Host)
		}
	}
	if secure > 0 && secure < len(c.URLs) {
		return errors.New("either all URLs of a fleet begin with tls://, or none")
	}
	return c.checkCreds()
}

// redacted returns a text without its password.
func redacted(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		return "***" + text[at:]
	}
	return text
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// checkCreds refuses a file that others can read.
func (c Config) checkCreds() error {
	if c.Creds == "" {
		return nil
	}
	info, err := os.Stat(c.Creds)
	switch {
	case err != nil:
		return fmt.Errorf("the credentials of the fleet: %w", err)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s can be read by other users: run chmod 600 %s", c.Creds, c.Creds)
	}
	return nil
}

const (
	connectTime  = 2 * time.Second
	pingEvery    = 2 * time.Second // two without an answer end a connection
	redialAfter  = 250 * time.Millisecond
	redialSpread = 250 * time.Millisecond
)

// options returns the options of nats.go that do not depend on a bus.
func (c Config) options(name string) []nats.Option {
	list := []nats.Option{
		nats.Name("torc " + name),
		nats.Timeout(connectTime),
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(redialAfter),
		nats.ReconnectJitter(redialSpread, redialSpread),
		nats.ReconnectBufSize(-1), // a batch must not be sent late
		nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(2),
		nats.FlusherTimeout(pingEvery),
		nats.IgnoreDiscoveredServers(), // the operator names the servers, NATS does not
		nats.NoCallbacksAfterClientClose(),
	}
	if name != "" { // so NATS can keep the answers to one server from the others
		list = append(list, nats.CustomInboxPrefix("_INBOX."+name))
	}
	if c.Creds != "" {
		list = append(list, nats.UserCredentials(c.Creds))
	}
	if strings.HasPrefix(c.URLs[0], "tls:") {
		list = append(list, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.Roots}))
	}
	return list
}

func (c Config) prefix() string {
	if c.Prefix == "" {
		return "torc"
	}
	return c.Prefix
}

// draw returns a random number.
func draw() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint64(b[:])
}
