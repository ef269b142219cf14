package engine

import (
	"strings"

	"github.com/torc-engine/torc/netcore"
)

// addressOf formats an address for display.
func addressOf(a netcore.Addr) string {
	if s := a.String(); !strings.HasPrefix(s, "local") {
		return s
	}
	return localAddress
}

// localAddress is the address of a client in the server's own process.
const localAddress = "local"
