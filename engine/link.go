package engine

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// A Link is the link of a server's page, which a browser opens: http://HOST[:PORT]/#KEY, or
// …/watch#KEY for spectators. Several servers behind one host have /s/NAME/#KEY. It has no UDP
// port: the page names that (Pages).
type Link struct {
	Site  string    // http://HOST[:PORT] or https://HOST[:PORT]; with /s/NAME of a server beside others
	Host  string    // of Site; an IPv6 address has no brackets
	Key   *seal.Key // nil: the link names none
	Watch bool      // it opens the game for a spectator
}

// Pages asks the page of a link for the HOST:PORT at which programs reach its server. It calls done
// once, at once or later, on the goroutine that owns the host. It must not block.
type Pages func(l Link, done func(hostport string, err error))

// ParseLink reads the link of a page. is is false for all other addresses.
func ParseLink(address string) (l Link, is bool, err error) {
	page, pin, pinned := strings.Cut(address, "#")
	if !strings.Contains(page, "://") {
		return Link{}, false, nil
	}
	u, err := url.Parse(page)
	place, path := cutPlace(u)
	if err != nil || !pageOfGame(u, path) {
		return Link{}, true, fmt.Errorf("%q is no link to a game: those are http://HOST[:PORT]/#KEY and https://HOST[:PORT]/#KEY", page)
	}
	site := url.URL{Scheme: u.Scheme, Host: strings.TrimSuffix(u.Host, ":"), Path: place}
	l = Link{Site: site.String(), Host: u.Hostname(), Watch: path == watchPath}
	if pinned {
		k, err := seal.ParseKey(pin)
		if err != nil {
			return Link{}, true, err
		}
		l.Key = &k
	}
	return l, true, nil
}

// watchPath is the path of the page for spectators.
const watchPath = "/watch"

// cutPlace returns the path of a server beside others, "" for a server at the root of its host, and
// the path of the page there without a / at its end.
func cutPlace(u *url.URL) (place, path string) {
	if u == nil {
		return "", ""
	}
	place, path = names.CutPlace(u.Path)
	return place, strings.TrimSuffix(path, "/")
}

// pageOfGame reports whether a browser finds the page of a game at an address whose path is that
// without a place. Options in the query are for browsers.
func pageOfGame(u *url.URL, path string) bool {
	port := u.Port()
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil:
		return false
	case port != "" && (err != nil || n == 0):
		return false
	}
	return path == "" || path == watchPath
}

// pinned adds the key of the link to a HOST:PORT.
func (l Link) pinned(hostport string) string {
	if l.Key == nil {
		return hostport
	}
	return hostport + "#" + l.Key.String()
}

// unasked is the error of a host that can ask no page.
func (l Link) unasked() error {
	example := l.pinned(netcore.WithPort(l.Host))
	return fmt.Errorf("%s is a link: open it in a browser, or use HOST:PORT#KEY with the UDP port of the server, for example %s", l.Site, example)
}
