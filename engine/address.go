package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/netcore"
)

// Via begins the address of a server that is reached through a rendezvous: via:HOST:PORT#KEY.
// HOST:PORT is that of the rendezvous, and the key says which server.
const Via = "via:"

// toResolve returns the part of an address that the resolver gets: with a rendezvous all of it. The
// link of a page has no UDP port, so it is an error that names the form with one.
func toResolve(address, hostport string) (string, error) {
	_, page, isLink := strings.Cut(hostport, "://")
	switch {
	case isLink:
		host, _, _ := strings.Cut(page, "/")
		example := netcore.WithPort(host) + strings.TrimPrefix(address, hostport)
		return "", fmt.Errorf("%s is a link for browsers: use HOST:PORT#KEY with the UDP port of the server, for example %s", address, example)
	case !strings.HasPrefix(hostport, Via):
		return hostport, nil
	case hostport == address:
		return "", errors.New("a rendezvous needs the key of the server: " + Via + "HOST:PORT#KEY")
	}
	return address, nil
}

// addressOf formats an address for display.
func addressOf(a netcore.Addr) string {
	if s := a.String(); !strings.HasPrefix(s, "local") {
		return s
	}
	return localAddress
}

// localAddress is the address of a client in the server's own process.
const localAddress = "local"
