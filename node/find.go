//go:build !js

package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/udp"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/serverjson"
)

// findTime is how long the command servers waits for answers.
const findTime = 1500 * time.Millisecond

// Find searches the local network for servers until ctx ends. It finds servers that hear multicast
// packets: sv.lan of the server is on, and no firewall is between.
func Find(ctx context.Context) ([]query.Found, error) {
	return search(ctx, nil)
}

// Query asks the server at HOST:PORT what it tells everybody, until ctx ends. The page of a link
// first says where the server is.
func Query(ctx context.Context, address string) (query.Found, error) {
	link, isLink, err := engine.ParseLink(address)
	switch {
	case !isLink:
		address, _, _ = strings.Cut(address, "#")
	case err == nil:
		address, err = serverjson.Ask(ctx, link)
	}
	if err != nil {
		return query.Found{}, err
	}
	to, isName, err := udp.Parse(address)
	targets := []netcore.Addr{to}
	if isName {
		targets, err = udp.Resolve(ctx, address)
	}
	if err != nil {
		return query.Found{}, err
	}
	began := time.Now()
	found, err := search(ctx, targets)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no answer after %v (is the server running, its UDP port open, and sv.query on?)", time.Since(began).Round(100*time.Millisecond))
	}
	if err != nil {
		return query.Found{}, err
	}
	return found[0], nil
}

// search runs a search until ctx ends, or until the first answer of a server with known addresses.
func search(ctx context.Context, targets []netcore.Addr) ([]query.Found, error) {
	finder, err := udp.NewFinder()
	if err != nil {
		return nil, err
	}
	defer finder.Close()
	clock := core.NewClock()
	s, err := query.NewSearch(clock.Now(), rand.Reader, targets...)
	if err != nil {
		return nil, err
	}
	receive := func(p *udp.Packet) {
		if len(targets) > 0 || udp.OnLink(p.From.AddrPort().Addr()) {
			s.Receive(clock.Now(), p.From, p.Bytes())
		}
		p.Free()
	}
	four, six := finder.Packets()
	for len(targets) == 0 || len(s.Found()) == 0 {
		s.Send(clock.Now(), finder.Write)
		select {
		case p := <-four:
			receive(p)
		case p := <-six:
			receive(p)
		case <-time.After(s.Due() - clock.Now()):
		case <-ctx.Done():
			return s.Found(), nil
		}
	}
	return s.Found(), nil
}

// ServerTable describes servers, one per line.
func ServerTable(found []query.Found) string {
	lines := []string{fmt.Sprintf("%-24s %7s %5s  %s", "ADDRESS", "PLAYERS", "PING", "NAME")}
	for _, f := range found {
		players := fmt.Sprintf("%d/%d", f.Info.Players+f.Info.Bots, f.Info.MaxPlayers)
		notes := []string{cmp.Or(console.Clean(f.Info.Mission), "no mission")}
		if f.Info.Password {
			notes = append(notes, "password")
		}
		if f.Info.Draining {
			notes = append(notes, "draining")
		}
		if f.Info.Version != netcore.ProtocolVersion {
			notes = append(notes, fmt.Sprintf("protocol %d, not %d", f.Info.Version, netcore.ProtocolVersion))
		}
		for _, a := range f.Addrs[1:] {
			notes = append(notes, "also "+a.String())
		}
		lines = append(lines, fmt.Sprintf("%-24s %7s %5d  %s (%s)", f.Addrs[0], players, f.RTT.Milliseconds(), console.Clean(f.Info.Name), strings.Join(notes, ", ")))
	}
	return strings.Join(lines, "\n")
}

// ErrNoServers says that a search of the local network found nothing.
var ErrNoServers = errors.New("no server answered on the local network (does a firewall drop multicast, or is sv.lan off?)")
