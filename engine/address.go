package engine

import (
	"errors"
	"strings"

	"github.com/torc-engine/torc/netcore"
)

// Via begins the address of a server that is reached through a rendezvous: via:HOST:PORT#KEY.
// HOST:PORT is that of the rendezvous, and the key says which server.
const Via = "via:"

// toResolve returns the part of an address that the resolver gets: with a rendezvous all of it.
func toResolve(address, hostport string) (string, error) {
	switch {
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
