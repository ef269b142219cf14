package serverlist

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/internal/names"
)

const maxHost = 64 // bytes of a name in a link

// A site is the page of a server, as the server names it.
type site struct {
	scheme string
	host   string // "": the address of the server
	port   uint16 // 0: that of the scheme
	place  string // /s/NAME of a server beside others; "" is the root
}

// parseSite reads a link of a query: http://[HOST][:PORT][/s/NAME] or https://…, and nothing behind
// it.
func parseSite(text string) (s site, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return site{}, false
	}
	s.scheme, s.host = u.Scheme, strings.ToLower(u.Hostname())
	path := ""
	if s.place, path = names.CutPlace(u.Path); path != "" && path != "/" {
		return site{}, false
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return site{}, false
		}
		s.port = uint16(n)
	}
	return s, s.host == "" || validHost(s.host)
}

// validHost reports whether a text is an IP address or a name of the Internet, in lower case.
func validHost(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Zone() == "" // a zone has any length, and counts on one machine
	}
	for _, c := range []byte(host) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	return len(host) <= maxHost && strings.Contains(host, ".")
}

// at returns the link, with the address of the server if the site names no host.
func (s site) at(address netip.Addr) string {
	host := s.host
	if host == "" {
		host = address.String()
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if s.port != 0 {
		host += ":" + strconv.Itoa(int(s.port))
	}
	return s.scheme + "://" + host + s.place
}
