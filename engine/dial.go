package engine

import (
	"errors"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// ConnectArgs are the arguments of a connect request.
type ConnectArgs struct {
	Name     string // player name; "" is the host's own
	Password string
	Args     []string      // for the server's onConnectRequest and onConnect, at most 16
	Timeout  time.Duration // default 15 s
}

// outgoing is the outgoing connect in progress.
type outgoing struct {
	address string
	pending *netcore.Pending
}

// Connect connects to HOST:PORT, or to HOST:PORT#KEY to pin the server's key. It first ends an
// earlier outgoing connection of this host. Scripts receive the result (Accepted, ConnectFailed).
// If a change of the world is open, the connect starts when the change is committed.
func (h *Host) Connect(address string, a ConnectArgs) error {
	h.world.OnCommit(func() { h.lastAddress, h.lastArgs = address, a })
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
	h.world.OnCommit(func() {
		h.Disconnect("")
		h.CancelConnect()
		h.dialing = &outgoing{address: hostport, pending: h.endpoint.Connect(h.now, to, o)}
	})
	return nil
}

// CancelConnect cancels the connect in progress, if there is one.
func (h *Host) CancelConnect() {
	if h.dialing != nil {
		h.dialing.pending.Cancel()
		h.dialing = nil
	}
}

// Disconnect ends this host's outgoing connection, if there is one.
func (h *Host) Disconnect(reason string) error {
	c := h.Server()
	if c == nil {
		return errors.New("not connected")
	}
	c.Disconnect(reason)
	return nil
}

// dialFailed handles a failed connect.
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
