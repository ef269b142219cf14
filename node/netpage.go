//go:build !js

package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/netpage"
)

// netKeyName is the file of a kept key of the net page, in the data folder.
const netKeyName = "net_key"

// netView is the net page of a server.
type netView struct {
	server *Server
	taker  netpage.Taker
	access netpage.Access
	who    string       // the variable sv.netPage
	allows atomic.Int32 // the same, for the goroutines of pages
}

// openNetPage prepares the net page, with a new key or the kept one.
func (s *Server) openNetPage() error {
	v := s.net
	v.taker = netpage.Taker{
		Host: s.core.Side.Host, Scripts: s.core.Side.Scripts, Pulse: &s.core.Loop.Pulse, Phases: &s.core.Loop.Phases, Version: s.cfg.Version, Now: s.core.Now, Clock: s.core.Now,
	}
	key, err := s.keptNetKey()
	if err != nil {
		return err
	}
	if key == "" {
		key = netpage.NewKey()
	}
	v.access.SetKey(key)
	return nil
}

// serveNetPage compresses and publishes the net page.
func (s *Server) serveNetPage() error {
	v := s.net
	return s.web.ServeNet(netpage.Files(), &netpage.Handler{
		Source: v, Access: &v.access, Allows: func() int { return int(v.allows.Load()) },
		Local: s.web.Local, From: s.web.From, Now: s.core.Now,
		Note: func(from netip.Addr, did string) { s.core.Post(func() { s.admin.Record(from.String(), did, nil) }) },
	})
}

// Take implements netpage.Source: it fills the snapshot between two turns of the loop.
func (v *netView) Take(ctx context.Context, w netpage.Want, s *netpage.Snapshot) error {
	done := make(chan struct{})
	take := func() {
		if ctx.Err() == nil {
			v.taker.Take(w, s)
		}
		close(done)
	}
	if !v.server.core.Post(take) {
		return ErrEnded
	}
	select {
	case <-done:
		return ctx.Err()
	case <-v.server.core.Gone:
		return ErrEnded
	}
}

// keptNetKey returns the key in the data folder; "" if none is kept.
func (s *Server) keptNetKey() (string, error) {
	if !s.core.Home.HasFolder() {
		return "", nil
	}
	text, err := data.Read(s.core.Home.Path(netKeyName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	key := strings.TrimSpace(string(text))
	if err == nil && !netpage.ValidKey(key) {
		err = fmt.Errorf("%s is not a key of the net page: remove the file", s.core.Home.Path(netKeyName))
	}
	return key, err
}

// netAccess are the values of sv.netPage, in the order of netpage.Nobody, WithKey and WithKeyOrLocal.
var netAccess = []string{"off", "key", "local"}

// netVariables are the variables of the net page.
func (s *Server) netVariables() []console.Var {
	v := &netView{server: s, who: netAccess[netpage.WithKeyOrLocal]}
	s.net = v
	changed := func() error { v.allows.Store(int32(slices.Index(netAccess, v.who))); return nil }
	_ = changed() // it never fails
	return []console.Var{{
		Name: "sv.netPage", Help: "who can open the net page: off, key (browsers with the link of net.link) or local (also browsers on this machine)",
		Value: console.Hook(console.Enum(&v.who, netAccess...), changed),
	}}
}

// netCommands is `net.link`.
func (s *Server) netCommands() []console.Command {
	return []console.Command{{
		Name: "net.link", Params: "[new|keep]",
		Help: "prints the secret link of the net page; new replaces its key, and keep keeps the key when the server starts again",
		Run: func(args []string) (string, error) {
			if s.web == nil {
				return "", errNoBrowsers
			}
			switch strings.Join(args, " ") {
			case "":
			case "new":
				s.net.access.SetKey(netpage.NewKey())
				if err := s.forgetNetKey(); err != nil {
					return "", err
				}
			case "keep":
				if !s.core.Home.HasFolder() {
					return "", errors.New("keep needs a data folder: start the server with --data")
				}
				if err := data.Save(s.core.Home.Path(netKeyName), s.net.access.Key()+"\n"); err != nil {
					return "", err
				}
			default:
				return "", errors.New("usage: net.link [new|keep]")
			}
			return s.netLink(), nil
		},
	}}
}

// forgetNetKey removes the kept key.
func (s *Server) forgetNetKey() error {
	if !s.core.Home.HasFolder() {
		return nil
	}
	if err := os.Remove(s.core.Home.Path(netKeyName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// netLink returns the link of the net page with its key. Browsers do not send what is behind the #.
func (s *Server) netLink() string { return s.web.site() + "/net#" + s.net.access.Key() }

// NetLink is the secret link of the net page; "" if no client is served.
func (s *Server) NetLink() string {
	if s.web == nil {
		return ""
	}
	return s.netLink()
}
