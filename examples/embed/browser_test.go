package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestBrowser builds the client for browsers, and joins from a page: the page has the game's badge,
// and the client sees the objects of both classes.
func TestBrowser(t *testing.T) {
	if os.Getenv("TORC_BROWSER") == "" {
		t.Skip("TORC_BROWSER=1 builds the client for browsers, and plays with it")
	}
	found, err := exec.LookPath("chromium")
	require.NoError(t, err, "no browser: install chromium")
	links := make(chan string, 1)
	s, err := NewServer("127.0.0.1:0", ".", func(text string) {
		if _, link, is := strings.Cut(text, "play in a browser: "); is {
			links <- strings.TrimSpace(link)
		}
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, s.Start())
	go func() { _ = s.Run(context.Background()) }()
	link := <-links // the build takes a minute

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(found), chromedp.NoSandbox, chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	_, err = chromedp.Run(ctx, chromedp.Navigate(link))
	require.NoError(t, err)
	_, err = chromedp.Run(ctx, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({name: "Ann", quality: "low"}))`))
	require.NoError(t, err)
	_, err = chromedp.Run(ctx, chromedp.Reload())
	require.NoError(t, err)
	met, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`(async () => {
		const has = (id, text) => document.getElementById(id)?.textContent.includes(text);
		while (!(has("badge", "Lights") && has("output", "a beacon reaches 500 m") && has("output", "a crate holds 80 kg"))) {
			await new Promise((next) => setTimeout(next, 10));
		}
		return true;
	})()`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	require.True(t, met)
}
