package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/hosts"
	"github.com/torc-engine/torc/node/internal/serverjson"
)

// Game is where programs reach the game of a page.
type Game struct {
	Key seal.Key       // of the server
	UDP netip.AddrPort // its socket; the zero value opens none
}

// serverJSON tells a program with a link where the server is.
func (l *Listener) serverJSON(w http.ResponseWriter, r *http.Request) {
	from, err := l.proxies.client(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body := l.programs(r.Host, from).JSON()
	h := w.Header()
	h.Set("Cache-Control", "no-store") // a server that starts anew can have another port
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // whoever has gone does not want it
	}
}

// programs returns where programs reach the UDP port that have the page from a host. from is their
// address; the zero value is unknown. Where an IP address leads to the page, it also leads to a
// socket that is bound so. A name can lead to a reverse proxy: an address of the operator is safer.
func (l *Listener) programs(host string, from netip.Addr) serverjson.Server {
	s := serverjson.Server{Key: l.game.Key, Port: l.game.UDP.Port()}
	bound, public := l.game.UDP.Addr(), l.publicFor(from)
	ip, err := hostAddr(host)
	if hosts.Name(strings.ToLower(host)) == "localhost" {
		ip, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	switch {
	case !bound.IsValid():
		s.Port = 0
	case err == nil && (reaches(bound, ip) || slices.Contains(l.public, ip)):
	case public.IsValid():
		s.Address = public
	case bound.IsLoopback() || err == nil && bound.Is4() && !ip.Is4():
		s.Port = 0
	case err == nil && ip.IsLoopback() && serverjson.Reachable(bound):
		s.Address = bound
	}
	return s
}

// publicFor returns the address of the operator for a peer, of the peer's family if there is one;
// the zero value if there is none.
func (l *Listener) publicFor(peer netip.Addr) (best netip.Addr) {
	for _, a := range l.public {
		better := !best.IsValid() || peer.IsValid() && best.Is4() != peer.Is4() && a.Is4() == peer.Is4()
		if better && serverjson.Reachable(a) {
			best = a
		}
	}
	return best
}

// Native returns HOST:PORT#KEY for a program, beside the link with Site; "" if no UDP port is open
// to those whom the link is for.
func (l *Listener) Native() string {
	_, host, _ := strings.Cut(l.Site(), "://")
	host, _, _ = strings.Cut(host, "/")
	s := l.programs(host, netip.Addr{})
	if s.Port == 0 {
		return ""
	}
	host = hosts.Name(host)
	if s.Address.IsValid() {
		host = s.Address.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(int(s.Port))) + "#" + s.Key.String()
}
