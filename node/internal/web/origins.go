package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/node/internal/hosts"
)

// maxOrigins is how many origins a list can have: they are in the header of each page.
const maxOrigins = 32

// defaultPorts are the ports that browsers leave out.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// hostName is a name of a host in ASCII. It has none of the characters that mean something in a
// header.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// parseOrigin returns an origin as browsers write it: in lower case, without the port that belongs
// to the scheme.
func parseOrigin(text string) (string, error) {
	u, err := url.Parse(strings.ToLower(text))
	if err != nil || defaultPorts[u.Scheme] == "" || u.Scheme+"://"+u.Host != u.String() || !isHost(u.Hostname()) || !isPort(u.Port()) || strings.HasSuffix(u.Host, ":") {
		return "", fmt.Errorf("the origin %q must be http://HOST[:PORT] or https://HOST[:PORT], without a path, and with a name in ASCII", text)
	}
	return u.Scheme + "://" + strings.TrimSuffix(u.Host, ":"+defaultPorts[u.Scheme]), nil
}

// isHost reports whether a text is a name or an IP address.
func isHost(text string) bool {
	ip, err := netip.ParseAddr(text)
	return len(text) <= 253 && hostName.MatchString(text) || err == nil && ip.Zone() == ""
}

// isPort reports whether a text is a port, or empty.
func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return text == "" || err == nil && n >= 1 && n <= 65535
}

// ParseOrigins reads a list of origins with spaces or commas between them.
func ParseOrigins(text string) (list []string, err error) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		o, err := parseOrigin(word)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	if len(list) > maxOrigins {
		return nil, fmt.Errorf("%d origins are too many: a list can have %d", len(list), maxOrigins)
	}
	return list, nil
}

// SetOrigins replaces the origins that are allowed besides those of Options. ParseOrigins makes the
// list.
func (l *Listener) SetOrigins(list []string) {
	g := *l.gate.Load()
	g.allow(slices.Concat(l.origins, list))
	l.gate.Store(&g)
}

// SetFrames replaces the origins whose pages can show the page of the game in a frame. ParseOrigins
// makes the list.
func (l *Listener) SetFrames(list []string) { l.frames.Store(&list) }

// pageHeaders adapts the headers of the page of the game. Browsers that know frame-ancestors ignore
// X-Frame-Options, which cannot name origins.
func (l *Listener) pageHeaders(h http.Header) {
	if list := l.frames.Load(); list != nil && len(*list) > 0 {
		h.Set(policyName, openPolicy+strings.Join(*list, " "))
		h.Del(frameOptions)
	}
}

// allow replaces the further origins of a gate. Their hosts are allowed, too.
func (g *gate) allow(origins []string) {
	g.origins, g.hosts = nil, hosts.Allowed{Listen: g.hosts.Listen}
	for _, o := range origins {
		_, host, _ := strings.Cut(o, "://")
		g.origins, g.hosts.Names = append(g.origins, o), append(g.hosts.Names, host)
	}
}
