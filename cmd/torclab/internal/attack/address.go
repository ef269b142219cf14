package attack

import (
	"net"
	"net/netip"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/netcore/seal"
)

// parseAddress reads HOST:PORT or HOST:PORT#KEY. The host must be an IP address of this machine
// that no other machine reaches: a loopback address, or any address inside a network namespace of
// the suite. So the suite cannot attack a server of somebody else.
func parseAddress(text string, inside bool) (to netip.AddrPort, key *seal.Key, err error) {
	hostport, pin, pinned := strings.Cut(text, "#")
	if host, port, found := strings.Cut(hostport, ":"); found && host == "localhost" {
		hostport = "127.0.0.1:" + port
	}
	if to, err = netip.ParseAddrPort(hostport); err != nil || to.Port() == 0 {
		return to, nil, flags.Usagef("torclab attack %s: the address must be IP:PORT or IP:PORT#KEY, for example 127.0.0.1:28000", text)
	}
	if pinned {
		k, err := seal.ParseKey(pin)
		if err != nil {
			return to, nil, flags.Usagef("torclab attack %s: %v", text, err)
		}
		key = &k
	}
	if ip := to.Addr().Unmap(); !ip.IsLoopback() && !(inside && isOwn(ip)) {
		return to, nil, flags.Usagef("torclab attack %s: only a server at a loopback address can be attacked, for example 127.0.0.1:28000", text)
	}
	return to, key, nil
}

// isOwn reports whether an interface of this network namespace has the address.
func isOwn(ip netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Unmap() == ip {
			return true
		}
	}
	return false
}
