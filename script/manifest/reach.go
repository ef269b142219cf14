package manifest

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/internal/names"
)

// Prefixes of the permissions for the network.
const (
	netPrefix    = "net:"    // net:HOST:PORT: connect to a host
	listenPrefix = "listen:" // listen:PORT or listen:ADDRESS:PORT: accept connections

	transferPrefix = MayTransfer + ":" // transfer:HOST:PORT: send players to a server that is no peer
)

// NetPermission returns the permission to connect to a port of a host. host is a DNS name or an IP
// address. ok is false if no permission can name them.
func NetPermission(host string, port int) (permission string, ok bool) {
	host = strings.ToLower(host)
	if a, err := netip.ParseAddr(host); err == nil {
		host, ok = addressText(a), a.Zone() == ""
	} else {
		ok = len(host) <= maxHost && validHost(host)
	}
	return netPrefix + host + ":" + strconv.Itoa(port), ok && port >= 1 && port <= maxPort
}

// TransferPermission returns the permission to send players to a port of a host, as NetPermission
// does.
func TransferPermission(host string, port int) (permission string, ok bool) {
	permission, ok = NetPermission(host, port)
	return transferPrefix + strings.TrimPrefix(permission, netPrefix), ok
}

// TransferOf returns the permission to send players to a server, as client:transfer names it: a
// peer, or HOST:PORT#KEY. It returns "" if no permission can name it.
func TransferOf(server string) string {
	address, _, pinned := strings.Cut(server, "#")
	if !pinned {
		return MayTransfer
	}
	host, digits, _ := cutPort(address)
	port, err := strconv.Atoi(digits)
	permission, ok := TransferPermission(host, port)
	if err != nil || !ok {
		return ""
	}
	return permission
}

// ListenPermission returns the permission to accept connections on a port. Without an address, the
// permission is for connections from the same machine.
func ListenPermission(at netip.Addr, port int) string {
	if !at.IsValid() {
		return listenPrefix + strconv.Itoa(port)
	}
	return listenPrefix + addressText(at) + ":" + strconv.Itoa(port)
}

// ListenAddress returns the address of a permission that ListenPermission has made for the port
// with an address. ok is false for every other permission.
func ListenAddress(permission string, port int) (at netip.Addr, ok bool) {
	rest, listens := strings.CutPrefix(permission, listenPrefix)
	host, text, ok := cutPort(rest)
	if !listens || !ok || text != strconv.Itoa(port) {
		return netip.Addr{}, false
	}
	at, err := netip.ParseAddr(host)
	return at, err == nil && ListenPermission(at, port) == permission
}

// validReach reports whether a text is a permission for the network, in the form that the functions
// above return.
func validReach(text string) bool {
	if rest, ok := strings.CutPrefix(text, netPrefix); ok {
		host, digits, _ := cutPort(rest)
		port, err := strconv.Atoi(digits)
		made, ok := NetPermission(host, port)
		return err == nil && ok && made == text
	}
	if rest, ok := strings.CutPrefix(text, transferPrefix); ok {
		return validReach(netPrefix + rest)
	}
	rest, ok := strings.CutPrefix(text, listenPrefix)
	if !ok {
		return false
	}
	host, digits, addressed := cutPort(rest)
	if !addressed {
		digits = rest
	}
	port, err := strconv.Atoi(digits)
	if err != nil || port < 0 || port > maxPort {
		return false
	}
	at, err := netip.ParseAddr(host)
	return ListenPermission(at, port) == text && (err == nil || !addressed) && at.Zone() == ""
}

const (
	maxHost  = 253 // bytes of a DNS name
	maxLabel = 63  // bytes of its parts
	maxPort  = 65_535
)

// validHost reports whether a text is a DNS name in lower case.
func validHost(text string) bool {
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if label[i] != '-' && !names.Small(label[i]) {
				return false
			}
		}
	}
	return true
}

// cutPort separates HOST:PORT. The brackets of an IPv6 address are removed.
func cutPort(text string) (host, port string, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", "", false
	}
	host, port = text[:i], text[i+1:]
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	return host, port, true
}

// addressText returns an address as permissions write it, an IPv6 address in brackets.
func addressText(a netip.Addr) string {
	if a.Is4() {
		return a.String()
	}
	return "[" + a.String() + "]"
}
