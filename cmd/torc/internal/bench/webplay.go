package bench

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/cmd/internal/relay"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/node"
)

const (
	webJoins = 20
	webLoss  = 0.05
	gapTime  = 100 * time.Millisecond
	gapsMost = 3
)

// player is a client that wanders.
type webPlayer struct {
	*node.Client
	path  *webPath // nil: a native client
	ended chan error
}

// joinWeb lets a player join and waits until they are in the game.
func joinWeb(name, address string, path *webPath) (*webPlayer, error) {
	c, err := node.NewClient(node.Config{Common: node.Common{Name: name}, Client: node.ClientConfig{Address: address, Wander: true, Unseen: true}})
	if err != nil {
		return nil, err
	}
	p := &webPlayer{c, path, make(chan error, 1)}
	go func() { p.ended <- c.Run(context.Background()) }()
	for limit := time.Now().Add(dialMost); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		in := false
		if err := c.Do(func() { in = c.Ready() }); err != nil {
			break
		}
		if in {
			return p, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s did not get into the game", name), p.leave())
}

// leave ends the player.
func (p *webPlayer) leave() error {
	err := p.Close()
	<-p.ended
	if p.path != nil {
		p.path.end()
	}
	return err
}

// joinOver lets a player join over a line.
func joinOver(dial dialer, s *node.Server, udp netip.AddrPort, name string, heard func()) (*webPlayer, error) {
	path, err := openPath(dial, "http://"+s.WebAddr().String(), udp, heard)
	if err != nil {
		return nil, err
	}
	return joinWeb(name, fmt.Sprintf("%s#%s", path.near.LocalAddr(), s.Key()), path)
}

// measureJoins counts the joins that succeed.
func measureJoins(dial dialer) (webResult, error) {
	s, stop, err := webServer("ctf")
	if err != nil {
		return webResult{}, err
	}
	defer stop()
	in, worst := 0, time.Duration(0)
	for i := range webJoins {
		began := time.Now()
		p, failed := joinOver(dial, s, s.Addr(), fmt.Sprint("Ann ", i), nil)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		in++
		worst = max(worst, time.Since(began))
		err = errors.Join(err, p.leave())
	}
	return webResult{measured: fmt.Sprintf("%d of %d, worst %.0f ms", in, webJoins, milliseconds(worst)), pass: in == webJoins}, err
}

// measureGaps counts the pauses between the datagrams of a server on a line with loss.
func measureGaps(dial dialer, long time.Duration) (webResult, error) {
	s, stop, err := webServer("ctf", node.Var{Name: "sv.bots", Value: "7"})
	if err != nil {
		return webResult{}, err
	}
	defer stop()
	r := relay.New()
	defer r.Close()
	f, err := r.Forward("127.0.0.1:0", s.Addr())
	if err != nil {
		return webResult{}, err
	}
	lossy := netsim.Direction{LinkParams: netcore.LinkParams{Delay: 25 * netcore.Time(time.Millisecond), Loss: webLoss}}
	var last, gaps, worst, all atomic.Int64
	p, err := joinOver(dial, s, f.Addr(), "Ann", func() {
		now := time.Now().UnixNano()
		all.Add(1)
		if before := last.Swap(now); before > 0 && now-before > int64(gapTime) {
			gaps.Add(1)
			worst.Store(max(worst.Load(), now-before))
		}
	})
	if err != nil {
		return webResult{}, err
	}
	r.Set(lossy, lossy)
	last.Store(0)
	gaps.Store(0)
	worst.Store(0)
	all.Store(0)
	time.Sleep(long)
	n := gaps.Load()
	return webResult{
		measured: fmt.Sprintf("%d gaps in %v, longest %.0f ms, %.1f packets/s", n, long, milliseconds(time.Duration(worst.Load())), float64(all.Load())/long.Seconds()),
		pass:     n <= gapsMost,
	}, p.leave()
}

const (
	correctionLoss  = 0.02
	moreCorrections = 2 // than a native client, by chance
)

// correctionsOver returns how many visible corrections a player gets who wanders alone, on a line with loss.
func correctionsOver(dial dialer, loss float64, long time.Duration) (visible, moves int, err error) {
	s, stop, err := webServer("ctf")
	if err != nil {
		return 0, 0, err
	}
	defer stop()
	r := relay.New()
	defer r.Close()
	f, err := r.Forward("127.0.0.1:0", s.Addr())
	if err != nil {
		return 0, 0, err
	}
	p, err := joinOver(dial, s, f.Addr(), "Ann", nil)
	if err != nil {
		return 0, 0, err
	}
	line := netsim.Direction{LinkParams: netcore.LinkParams{Delay: 25 * netcore.Time(time.Millisecond), Loss: loss}}
	r.Set(line, line)
	stats := func() (c engine.ControlStats) {
		err = errors.Join(err, p.Do(func() {
			if server := p.Host().Server(); server != nil {
				c = server.Control.Stats
			}
		}))
		return c
	}
	time.Sleep(2 * time.Second) // the new line settles
	before := stats()
	time.Sleep(long)
	after := stats()
	return after.Visible - before.Visible, after.Made - before.Made, errors.Join(err, p.leave())
}

// measureCorrections counts the visible corrections over WebRTC without loss.
func measureCorrections(long time.Duration) (webResult, error) {
	n, moves, err := correctionsOver(dialRTC, 0, long)
	return webResult{measured: fmt.Sprintf("%d visible in %v, %d moves", n, long, moves), pass: n == 0 && moves > 0}, err
}

// compareCorrections counts the visible corrections over WebRTC with loss, and those of a native client.
func compareCorrections(long time.Duration) (webResult, error) {
	n, moves, err := correctionsOver(dialRTC, correctionLoss, long)
	if err != nil {
		return webResult{}, err
	}
	native, _, err := correctionsOver(dialNative, correctionLoss, long)
	return webResult{measured: fmt.Sprintf("%d visible in %v, %d moves; native %d", n, long, moves, native), pass: n <= native+moreCorrections && moves > 0}, err
}
