package notify

import (
	"context"
	"encoding/json"
	"net"
	"strconv"
	"time"
)

// addressTime is how long a server waits for a late sidecar before it joins its fleet without an
// address.
const addressTime = 15 * time.Second

// gamePort is the name of the port of players in the configuration of Agones, if there are several.
const gamePort = "game"

// Address asks for HOST:PORT at which players outside of the cluster reach the server. It waits for
// the answer, so call it before the loop runs. It returns "" without Agones, and after 15 s.
func (a *Agones) Address() string {
	if a == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(a.ctx, addressTime)
	defer cancel()
	for wait := firstTry; ctx.Err() == nil; wait = min(2*wait, lastTry) {
		answer, err := a.request(ctx, "GET", "/gameserver", nil)
		var g gameServer
		if err == nil && json.Unmarshal(answer, &g) == nil && g.address() != "" {
			return g.address()
		}
		a.sleep(ctx, wait)
	}
	a.log.Warn("the sidecar of Agones does not tell the address of this server: --advertise HOST:PORT does")
	return ""
}

// address returns the address with the port named game, else with the first one; "" if there is
// none.
func (g *gameServer) address() (at string) {
	for _, p := range g.Status.Ports {
		if g.Status.Address != "" && p.Port != 0 && (at == "" || p.Name == gamePort) {
			at = net.JoinHostPort(g.Status.Address, strconv.Itoa(int(p.Port)))
			if p.Name == gamePort {
				break
			}
		}
	}
	return at
}

// sleep waits for a time, or for the end of a context.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
