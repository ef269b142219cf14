package engine

import (
	"errors"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// ConnectArgs go with a connect request.
type ConnectArgs struct {
	Name     string // of the player; "" is the host's own
	Password string
	Args     []string      // for the server's onConnectRequest and onConnect, at most 16
	Timeout  time.Duration // default 15 s
}

// dialing is the connect of ours that is under way.
type dialing struct {
	address string
	pending *netcore.Pending
}

// Connect calls HOST:PORT, or HOST:PORT#KEY to pin the server's key. A
// connection this host has made before is ended first. What comes of it is told
// by Scripts (Accepted, ConnectFailed). While a change of the world is open all of
// that waits for it.
func (h *Host) Connect(address string, a ConnectArgs) error {
	h.world.Hold(func() { h.lastAddress, h.lastArgs = address, a })
	if h.cfg.Resolve == nil {
		return errNoResolver
	}
	hostport, pin, pinned := strings.Cut(address, "#")
	o := netcore.ConnectOptions{Name: a.Name, Password: a.Password, Args: a.Args, Timeout: a.Timeout}
	if o.Name == "" {
		o.Name = h.cfg.Name
	}
	if pinned {
		k, err := seal.ParseKey(pin)
		if err != nil {
			return err
		}
		o.Key = &k
	}
	if h.cfg.Trust != nil {
		o.Trust = func(_ netcore.Addr, k seal.Key) error { return h.cfg.Trust(hostport, k) }
	}
	to, err := h.cfg.Resolve(hostport)
	if err != nil {
		return err
	}
	h.world.Hold(func() {
		h.Disconnect("")
		h.CancelConnect()
		h.dialing = &dialing{address: hostport, pending: h.endpoint.Connect(h.now, to, o)}
	})
	return nil
}

// CancelConnect gives up the connect that is under way, if one is.
func (h *Host) CancelConnect() {
	if h.dialing != nil {
		h.dialing.pending.Cancel()
		h.dialing = nil
	}
}

// Disconnect ends the connection this host has made, if there is one.
func (h *Host) Disconnect(reason string) error {
	c := h.Server()
	if c == nil {
		return errors.New("not connected")
	}
	c.Disconnect(reason)
	return nil
}

// dialFailed hears that no connection came to be.
func (h *Host) dialFailed(p *netcore.Pending, r netcore.Reason) {
	if h.dialing == nil || h.dialing.pending != p {
		return
	}
	address := h.dialing.address
	h.dialing = nil
	h.inbox = append(h.inbox, func() {
		h.scripts.ConnectFailed(address, r.String())
		if h.cfg.Failed != nil {
			h.cfg.Failed(address, r.String())
		}
	})
}
