//go:build !js

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/demo"
)

// downloads returns a channel that gets the names of downloaded files, and their folder.
func (b *browser) downloads() (ended <-chan string, folder string) {
	b.t.Helper()
	folder = b.t.TempDir()
	all, names := make(chan string, 8), map[string]string{} // names by the id of a download
	require.NoError(b.t, chromedp.ListenBrowser(b.ctx, func(event any) {
		switch e := event.(type) {
		case *protocol.EventDownloadWillBegin:
			names[e.GUID] = e.SuggestedFilename
		case *protocol.EventDownloadProgress:
			if e.State == protocol.DownloadProgressStateCompleted {
				all <- names[e.GUID]
			}
		}
	}))
	_, err := chromedp.CallBrowser(b.ctx, protocol.SetDownloadBehavior, protocol.SetDownloadBehaviorParams{
		Behavior: protocol.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder, EventsEnabled: new(true),
	})
	require.NoError(b.t, err)
	return all, folder
}

// TestARecordedDemoIsDownloaded: the console of the page records a demo, and the browser gets its
// file. Any player of demos shows it.
func TestARecordedDemoIsDownloaded(t *testing.T) {
	b := openBrowser(t, 640, 480)
	_, url, key := newGame(t, "2")
	b.join(url, key, "Ann")
	ended, folder := b.downloads()
	b.press("Backquote", true)
	b.until(`!document.getElementById("menu").hidden`)
	run(b, chromedp.KeyEvent("record ann\r"))
	b.until(`document.getElementById("output").textContent.includes("recording ann.torc")`)
	from := eval[float64](b, `torc.program.number("tick")`)
	b.until(`torc.program.number("tick") > ` + number(from+64))
	run(b, chromedp.KeyEvent("record stop\r"))
	select {
	case name := <-ended:
		require.Equal(t, "ann.torc", name)
	case <-testenv.Limit(t):
		require.Fail(t, "there is no download", "%v, %s", b.complaints(), eval[string](b, pageState))
	}
	assert.Empty(t, b.complaints())

	film, err := os.ReadFile(filepath.Join(folder, "ann.torc"))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, mostPlayers(t, film, "Ann", 64), 1)
}

// mostPlayers plays a demo of a player, and returns the largest number of players that it shows at
// a time. The demo has at least a number of ticks.
func mostPlayers(t *testing.T, film []byte, player string, ticks int) (most int) {
	t.Helper()
	p, err := demo.Open(demo.Config{}, bytes.NewReader(film), int64(len(film)))
	require.NoError(t, err)
	defer func() { assert.NoError(t, p.Close()) }()
	assert.Equal(t, player, p.Header().Player)
	shown := 0
	require.NoError(t, p.PlayAll(func() {
		shown++
		n, w := 0, p.Host().World()
		w.Each(w.Classes().Lookup("Player"), func(sim.Object) bool { n++; return true })
		most = max(most, n)
	}))
	assert.GreaterOrEqual(t, shown, ticks)
	return most
}
