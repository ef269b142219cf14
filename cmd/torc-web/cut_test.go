//go:build !js

package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cutter is a proxy that cuts off downloads in the middle.
type cutter struct {
	proxy *httputil.ReverseProxy
	cuts  int // of each file

	mu       sync.Mutex
	asked    map[string]int // requests by file
	requests int            // all of them
}

// cutSize is the size of the files that are cut, in bytes.
const cutSize = 3 << 10

// newCutter returns a proxy before a server.
func newCutter(t *testing.T, cuts int) (c *cutter, address string, serve func(to string)) {
	t.Helper()
	c = &cutter{cuts: cuts, asked: map[string]int{}}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	return c, s.URL, func(to string) {
		target, err := url.Parse(to)
		require.NoError(t, err)
		c.proxy = &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(target)
				if r.Out.Header.Get("Origin") != "" {
					r.Out.Header.Set("Origin", to)
				}
			},
			ModifyResponse: c.cut,
			ErrorLog:       log.New(io.Discard, "", 0), // a cut is an error to the proxy
		}
	}
}

func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.requests++
	c.mu.Unlock()
	defer func() {
		if recover() != nil {
			panic(http.ErrAbortHandler) // the connection is closed
		}
	}()
	c.proxy.ServeHTTP(w, r)
}

// count returns how many requests have arrived so far.
func (c *cutter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// half is the first half of an answer.
type half struct {
	io.ReadCloser
	left int64
}

func (h *half) Read(b []byte) (int, error) {
	if h.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := h.ReadCloser.Read(b[:min(int64(len(b)), h.left)])
	h.left -= int64(n)
	return n, err
}

// cut cuts the answer to the first requests for a file in half.
func (c *cutter) cut(r *http.Response) error {
	name := path.Base(r.Request.URL.Path)
	if !strings.HasPrefix(r.Request.URL.Path, "/assets/") || strings.HasPrefix(name, "start.") || path.Ext(name) == ".css" || r.ContentLength < cutSize {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[name]++
	if c.asked[name] <= c.cuts {
		r.Body = &half{r.Body, r.ContentLength / 2}
	}
	return nil
}

// TestPageSurvivesCutDownloads: every large file of the page is cut off twice. The page says so,
// asks again, and joins.
func TestPageSurvivesCutDownloads(t *testing.T) {
	b := openBrowser(t, 800, 600)
	c, at, serve := newCutter(t, 2)
	_, link, key := newGame(t, "0")
	serve(link)
	run(b, chromedp.Navigate(at+"/?line=ws#"+key))
	run(b, chromedp.Evaluate[chromedp.Void](`new MutationObserver(() => {
		(globalThis.said ??= new Set()).add(document.getElementById("status").textContent);
	}).observe(document.getElementById("status"), {childList: true})`))
	b.until(`document.activeElement?.id === "name"`)
	run(b, chromedp.KeyEvent("Ann\r"))
	b.until(`globalThis.torc?.program.is("body")`)
	assert.True(t, eval[bool](b, `Array.from(globalThis.said).some((s) => s.startsWith("A download was cut off. Trying again ("))`))
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, n := range c.asked {
		assert.GreaterOrEqual(t, n, 3, name)
	}
	assert.GreaterOrEqual(t, len(c.asked), 3)
}

// TestPageGivesUp: a file that is always cut off is asked for a bounded number of times, and the
// page says why it does not load.
func TestPageGivesUp(t *testing.T) {
	b := openBrowser(t, 800, 600)
	c, at, serve := newCutter(t, 1<<30)
	_, link, key := newGame(t, "0")
	serve(link)
	run(b, chromedp.Navigate(at+"/#"+key))
	b.until(`document.getElementById("status").textContent.startsWith("The page could not be loaded: ")`)
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, n := range c.asked {
		assert.LessOrEqual(t, n, 12, name) // a browser can repeat a request by itself
	}
}
