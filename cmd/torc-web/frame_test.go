//go:build !js

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestAnotherSiteShowsTheGame: another site shows the page of the game in a frame once the operator
// lists it, and a player comes into the game there. This player has another key than on the page
// itself, because browsers keep the storage of frames apart.
func TestAnotherSiteShowsTheGame(t *testing.T) {
	b := openBrowser(t, 1280, 1200)
	s, link, key := newGame(t, "0")
	joined := func(not string, try func()) (key string) { // waits for a player with another key
		for limit := testenv.Limit(t); key == ""; testenv.Pause() {
			require.False(t, testenv.Expired(limit), "the player joins")
			require.NoError(t, s.Do(func() {
				for _, c := range s.Host().Connections() {
					if k := c.Key().String(); k != not {
						key = k
					}
				}
			}))
			if key == "" {
				try()
			}
		}
		return key
	}
	b.open(link, key, "Ann")
	own := joined("", func() {})

	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `<!DOCTYPE html><title>a clan</title><body style="margin:0"><iframe src="%s/#%s" style="border:0;width:100vw;height:100vh"></iframe>`, link, key)
	}))
	t.Cleanup(site.Close)
	at, err := url.Parse(site.URL)
	require.NoError(t, err)
	clan := "http://localhost:" + at.Port() // another site than the game's, which is at 127.0.0.1
	refused := func() bool {
		return strings.Contains(strings.Join(b.complaints(), "\n"), "frame-ancestors")
	}
	run(b, chromedp.Navigate(clan))
	for limit := testenv.Limit(t); !refused(); testenv.Pause() {
		require.False(t, testenv.Expired(limit), "the browser refuses the frame")
	}
	_, err = s.Console().Exec("sv.webFrames " + clan)
	require.NoError(t, err)
	run(b, chromedp.Navigate(clan+"/?again"))
	b.until(`document.querySelector("iframe") !== null`)
	joined(own, func() { // the test cannot look into the frame: it is another site's
		run(b, chromedp.MouseClickXY(320, 253))
		run(b, chromedp.KeyEvent("Z\r"))
	})
	b.picture("frame")
	assert.Empty(t, slices.DeleteFunc(b.complaints(), func(c string) bool { return strings.Contains(c, "frame-ancestors") }))
}
