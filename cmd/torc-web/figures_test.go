//go:build !js

package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	stdpath "path"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	encoder "github.com/andybalholm/brotli"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/relay"
	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/brotli"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/webclient"
)

// The figures of the client for browsers, and what each must be. docs/browser.md has those of one
// machine.
const (
	firstMost       = 3_260_000 // bytes of the first visit
	secondMost      = 20_000    // bytes of the next one
	webJoins        = 20
	gapLoss         = 0.05 // in each direction
	gapTime         = 100 * time.Millisecond
	gapsMost        = 3
	correctionLoss  = 0.02 // in each direction
	moreCorrections = 2    // than a native client, by chance
	cpuPlayers      = 8    // as many as an address can have
	cpuMost         = 3.   // times the CPU of a native client
	coldMost        = 5 * time.Second
	cachedMost      = 2 * time.Second
)

// figures skips a test that measures this machine, unless it is asked for: it needs the machine for
// itself.
func figures(t *testing.T) {
	t.Helper()
	if os.Getenv("TORC_BROWSER") == "" || !testenv.Long() {
		t.Skip("TORC_BROWSER=1 TORC_LONG=1 measures this machine, and -v prints the figures")
	}
}

// figureTime is how long a figure of a line or of the CPU is measured.
const figureTime = 20 * time.Second

// settleTime is how long players move before that.
const settleTime = 2 * time.Second

// plainServer starts a server of ctf that serves browsers, and has no page for them.
func plainServer(t *testing.T, vars ...node.Var) *node.Server {
	t.Helper()
	s, err := node.NewServer(node.Config{
		Common: node.Common{Vars: vars},
		Server: node.ServerConfig{Listen: "127.0.0.1:0", Load: []string{"ctf"}, Web: &node.Web{Listen: "127.0.0.1:0", Local: true, Pages: []fs.FS{www.FS}}},
	})
	require.NoError(t, err)
	require.NoError(t, s.Start())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background()) }()
	t.Cleanup(func() { assert.NoError(t, errors.Join(s.Close(), <-ended)) })
	return s
}

// TestFiguresOfTheLoad measures the bytes of a visit to the page of a release, and of the next one.
func TestFiguresOfTheLoad(t *testing.T) {
	figures(t)
	_, url, _ := newGameWith(t, "0", func(w *node.Web) {
		w.Build = func(ctx context.Context) (fs.FS, error) {
			to := t.TempDir()
			err := webclient.Builder{Root: "../..", Level: webclient.ReleaseLevel}.Compile(ctx, to)
			return os.DirFS(to), errors.Join(err, brotli.Texts(to, webclient.ReleaseLevel, www.FS, os.DirFS(to)))
		}
	})
	for _, form := range []string{"br", "gzip"} {
		v := visit{site: url, form: form, kept: map[string]bool{}}
		first, err := v.load("/")
		require.NoError(t, err)
		second, err := v.load("/")
		require.NoError(t, err)
		t.Logf("%s: first %.2f MB, second %.1f kB", form, float64(first)/1e6, float64(second)/1e3)
		assert.Greater(t, first, 1_000_000)
		assert.True(t, form != "br" || first <= firstMost, "%s: more than %d bytes", form, firstMost)
		assert.LessOrEqual(t, second, secondMost)
	}
}

// TestFiguresOfJoins counts the joins that succeed.
func TestFiguresOfJoins(t *testing.T) {
	figures(t)
	for name, dial := range map[string]dialer{"rtc": dialRTC, "ws": dialSocket} {
		s, worst := plainServer(t), time.Duration(0)
		for i := range webJoins {
			began := time.Now()
			p, err := joinOver(dial, s, s.Addr(), fmt.Sprint("Ann ", i), nil)
			require.NoError(t, err, "%s: join %d", name, i)
			worst = max(worst, time.Since(began))
			require.NoError(t, p.leave())
		}
		t.Logf("%s: %d joins, worst %v", name, webJoins, worst.Round(time.Millisecond))
	}
}

// lineOf puts a line with a delay of 25 ms and with loss before the UDP port of a server.
func lineOf(t *testing.T, s *node.Server) (at netip.AddrPort, lose func(share float64)) {
	t.Helper()
	r := relay.New()
	t.Cleanup(r.Close)
	f, err := r.Forward("127.0.0.1:0", s.Addr())
	require.NoError(t, err)
	return f.Addr(), func(share float64) {
		way := netsim.Direction{LinkParams: netcore.LinkParams{Delay: 25 * netcore.Time(time.Millisecond), Loss: share}}
		r.Set(way, way)
	}
}

// TestFiguresOfGaps counts the pauses between the datagrams of a server on a line with loss.
func TestFiguresOfGaps(t *testing.T) {
	figures(t)
	const long = figureTime
	s := plainServer(t, node.Var{Name: "sv.bots", Value: "7"})
	for _, way := range []struct {
		name string
		dial dialer
	}{{"rtc", dialRTC}, {"native", dialNative}} {
		at, lose := lineOf(t, s)
		var last, gaps, worst, all atomic.Int64
		p, err := joinOver(way.dial, s, at, "Ann", func() {
			now := time.Now().UnixNano()
			all.Add(1)
			if before := last.Swap(now); before > 0 && now-before > int64(gapTime) {
				gaps.Add(1)
				worst.Store(max(worst.Load(), now-before))
			}
		})
		require.NoError(t, err)
		lose(gapLoss)
		for _, n := range []*atomic.Int64{&last, &gaps, &worst, &all} {
			n.Store(0)
		}
		time.Sleep(long)
		t.Logf("%s: %d gaps in %v, longest %v, %.1f packets/s", way.name, gaps.Load(), long, time.Duration(worst.Load()).Round(time.Millisecond), float64(all.Load())/long.Seconds())
		assert.Positive(t, all.Load())
		assert.True(t, way.name == "native" || gaps.Load() <= gapsMost, "%s: more than %d gaps", way.name, gapsMost)
		require.NoError(t, p.leave())
	}
}

// TestFiguresOfCorrections counts the visible corrections of a player who wanders alone: none on a
// line without loss, and as few as a native client gets on one with loss.
func TestFiguresOfCorrections(t *testing.T) {
	figures(t)
	const long = 3 * figureTime
	n, moves := correctionsOver(t, dialRTC, 0, long)
	t.Logf("rtc: %d visible in %v, %d moves", n, long, moves)
	assert.Zero(t, n)
	assert.Positive(t, moves)
	n, moves = correctionsOver(t, dialRTC, correctionLoss, long)
	native, _ := correctionsOver(t, dialNative, correctionLoss, long)
	t.Logf("rtc with %g %% loss: %d visible in %v, %d moves; native %d", 100*correctionLoss, n, long, moves, native)
	assert.LessOrEqual(t, n, native+moreCorrections)
	assert.Positive(t, moves)
}

// TestFiguresOfOpening measures the time from a link to the game, with an empty cache and with a
// full one.
func TestFiguresOfOpening(t *testing.T) {
	figures(t)
	b := openBrowser(t, 480, 270) // without a GPU each pixel takes time
	s, site, _ := newGame(t, "0")
	// a page that is not there has the same storage, and keeps no file
	run(b, chromedp.Navigate(site+"/assets/none"))
	run(b, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({name: "Ann", quality: "low"}))`))
	for _, visit := range []struct {
		name string
		most time.Duration
	}{{"cold", coldMost}, {"cached", cachedMost}} {
		began := time.Now()
		run(b, chromedp.Navigate(s.Addresses().Link))
		b.until(`globalThis.torc?.program.is("ready") && torc.program.is("body")`)
		took := time.Since(began)
		t.Logf("%s: %v", visit.name, took.Round(time.Millisecond))
		assert.LessOrEqual(t, took, visit.most, visit.name)
		run(b, chromedp.Navigate(site+"/assets/none"))
	}
}

// webPlayer is a client that wanders.
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
	for { // a client that does not get in ends
		in := false
		if err := c.Do(func() { in = c.Ready() }); err != nil {
			break
		}
		if in {
			return p, nil
		}
		testenv.Pause()
	}
	return nil, errors.Join(fmt.Errorf("%s did not get into the game", name), p.leave())
}

// moves waits until the player has made the moves of a time. It returns what there was until then.
func (p *webPlayer) moves(t *testing.T, long time.Duration) (now engine.ControlStats) {
	t.Helper()
	for limit, until := testenv.Limit(t), 0; ; testenv.Pause() {
		require.NoError(t, p.Do(func() {
			if server := p.Host().Server(); server != nil {
				now = server.Control.Stats
			}
		}))
		if until == 0 {
			until = now.Made + int(long/engine.TickTime)
		}
		if now.Made >= until {
			return now
		}
		require.False(t, testenv.Expired(limit), "the client makes no moves")
	}
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
	path, err := openPath(dial, "http://"+s.Addresses().Web.String(), udp, heard)
	if err != nil {
		return nil, err
	}
	return joinWeb(name, fmt.Sprintf("%s#%s", path.near.LocalAddr(), s.Key()), path)
}

// correctionsOver returns how many visible corrections a player gets who wanders alone, on a line
// with loss.
func correctionsOver(t *testing.T, dial dialer, loss float64, long time.Duration) (visible, moves int) {
	t.Helper()
	s := plainServer(t)
	at, lose := lineOf(t, s)
	p, err := joinOver(dial, s, at, "Ann", nil)
	require.NoError(t, err)
	lose(loss)
	before := p.moves(t, settleTime) // on the new line
	after := p.moves(t, long)
	require.NoError(t, p.leave())
	return after.Visible - before.Visible, after.Made - before.Made
}

// asset is how a file of the page refers to another one.
var asset = regexp.MustCompile("[\"'`(](\\.[\\w./-]+)[\"'`)]")

// visit is a browser that loads pages.
type visit struct {
	site, form string
	kept       map[string]bool // files that the browser does not ask for again
}

// load loads a file and those that it names. It returns the bytes of all bodies and headers.
func (v *visit) load(path string) (int, error) {
	if v.kept[path] {
		return 0, nil
	}
	q, err := http.NewRequest(http.MethodGet, v.site+path, nil)
	if err != nil {
		return 0, err
	}
	q.Header.Set("Accept-Encoding", v.form)
	r, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return 0, errors.Join(err, fmt.Errorf("%s: %s", path, r.Status))
	}
	var head strings.Builder
	_ = r.Header.Write(&head) // a builder takes everything
	total := len(body) + head.Len()
	v.kept[path] = strings.Contains(r.Header.Get("Cache-Control"), "immutable")
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/") {
		return total, nil
	}
	text, err := plain(r.Header.Get("Content-Encoding"), body)
	for _, m := range asset.FindAllStringSubmatch(text, -1) {
		n, failed := v.load(stdpath.Join(stdpath.Dir(path), m[1]))
		total, err = total+n, errors.Join(err, failed)
	}
	return total, err
}

// plain returns the text of a body.
func plain(form string, body []byte) (string, error) {
	var from io.Reader = strings.NewReader(string(body))
	switch form {
	case "br":
		from = encoder.NewReader(from)
	case "gzip":
		z, err := gzip.NewReader(from)
		if err != nil {
			return "", err
		}
		from = z
	}
	text, err := io.ReadAll(from)
	return string(text), err
}

// TestVisit: a browser counts each file once, and asks again only for what it may not keep.
func TestVisit(t *testing.T) {
	asked := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`"./assets/a.1.js" "./assets/a.1.js" "./assets/b.2.wasm"`))
		default:
			w.Header().Set("Cache-Control", "immutable")
			_, _ = w.Write(make([]byte, 1000))
		}
	}))
	defer s.Close()
	v := visit{site: s.URL, form: "br", kept: map[string]bool{}}
	first, err := v.load("/")
	require.NoError(t, err)
	second, err := v.load("/")
	require.NoError(t, err)
	assert.Greater(t, first, 2000)
	assert.Less(t, second, 1000)
	assert.Equal(t, map[string]int{"/": 2, "/assets/a.1.js": 1, "/assets/b.2.wasm": 1}, asked)
}
