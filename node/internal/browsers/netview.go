package browsers

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
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/netpage"
	"github.com/torc-engine/torc/node/internal/web"
)

// netKeyName is the file of a kept key of the net page, in the data folder.
const netKeyName = "net_key"

// netView is the net page of a server.
type netView struct {
	core   *core.Core
	taker  netpage.Taker
	access netpage.Access
	who    string       // the variable sv.netPage
	allows atomic.Int32 // the same, for the goroutines of pages
}

// openNetPage prepares the net page, with a new key or the kept one.
func (s *Service) openNetPage() error {
	v := &s.net
	v.core = s.core
	v.taker = netpage.Taker{
		Host: s.core.Side.Host, Scripts: s.core.Side.Scripts, Pulse: &s.core.Loop.Pulse, Phases: &s.core.Loop.Phases, Version: s.opts.Version, Now: s.core.Now, Clock: s.core.Now,
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
func (s *Service) serveNetPage() error {
	v, at := &s.net, s.listener
	return at.ServeNet(netpage.Files(), &netpage.Handler{
		Source: v, Access: &v.access, Allows: func() int { return int(v.allows.Load()) },
		Local: at.Local, From: at.From, Now: s.core.Now,
		Note: func(from netip.Addr, did string) { s.core.Post(func() { s.core.Record(from.String(), did, nil) }) },
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
	if !v.core.Post(take) {
		return core.ErrEnded
	}
	select {
	case <-done:
		return ctx.Err()
	case <-v.core.Gone:
		return core.ErrEnded
	}
}

// keptNetKey returns the key in the data folder; "" if none is kept.
func (s *Service) keptNetKey() (string, error) {
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

// netAccess are the values of sv.netPage, in the order of netpage.Nobody, WithKey and
// WithKeyOrLocal.
var netAccess = []string{"off", "key", "local"}

// changed takes over the variable sv.netPage.
func (v *netView) changed() { v.allows.Store(int32(slices.Index(netAccess, v.who))) }

// Variables are sv.netPage, sv.webOrigins and sv.webFrames.
func (s *Service) Variables() []console.Var {
	return []console.Var{{
		Name: "sv.netPage", Help: "who can open the net page: off, key (browsers with the link of net.link) or local (also browsers on this machine)",
		Value: console.Hook(console.Enum(&s.net.who, netAccess...), func() error { s.net.changed(); return nil }),
	}, {
		Name: "sv.webOrigins", Help: "sites at which browsers reach the server, besides those of --web-origin, as in \"https://play.example.org https://name.tunnel.example\"",
		Value: originsVar(&s.origins, func() { s.listener.SetOrigins(s.origins) }, s.serves),
	}, {
		Name: "sv.webFrames", Help: "sites whose pages can show the page of the game in a frame, as in \"https://clan.example.org\"",
		Value: originsVar(&s.frames, func() { s.listener.SetFrames(s.frames) }, s.serves),
	}}
}

// serves reports whether browsers are served.
func (s *Service) serves() bool { return s.listener != nil }

// originsVar is a variable with a list of origins. It calls changed after each change while serves
// returns true.
func originsVar(list *[]string, changed func(), serves func() bool) console.VarValue {
	return console.Func(func() string { return strings.Join(*list, " ") }, func(text string) error {
		to, err := web.ParseOrigins(text)
		if err != nil {
			return err
		}
		if *list = to; serves() {
			changed()
		}
		return nil
	})
}

// netCommand is net.link.
func (s *Service) netCommand() console.Command {
	return console.Command{
		Name: "net.link", Params: "[new|keep]",
		Help: "prints the secret link of the net page; new replaces its key, and keep keeps the key when the server starts again",
		Run: func(args []string) (string, error) {
			if s.listener == nil {
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
	}
}

// forgetNetKey removes the kept key.
func (s *Service) forgetNetKey() error {
	if !s.core.Home.HasFolder() {
		return nil
	}
	if err := os.Remove(s.core.Home.Path(netKeyName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// netLink returns the link of the net page with its key. Browsers do not send what is behind the #.
func (s *Service) netLink() string { return s.listener.Site() + "/net#" + s.net.access.Key() }
