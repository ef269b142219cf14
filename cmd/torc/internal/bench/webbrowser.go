package bench

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/torc-engine/torc/node"
)

const (
	coldMost, cachedMost = 5 * time.Second, 2 * time.Second
	callsMost            = 200
	trianglesMost        = 300_000
	drawPlayers          = 64
	pageMost             = 4 * time.Minute // for the game on a page
)

const inGame = `globalThis.torc?.program.is("ready") && torc.program.is("body")`

// untried is the result of a row that needs a browser.
var untried = webResult{measured: "there is no chromium in PATH", untried: true}

// withBrowser calls f with a headless browser without a profile. It reports false if there is no browser.
func withBrowser(f func(ctx context.Context) error) (found bool, err error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		return false, nil
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(480, 270), // without a GPU each pixel takes time
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-gpu", false))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, pageMost)
	defer cancel()
	return true, f(ctx)
}

// visitPage opens a link as a player who has been here before, and returns how long it took until the game.
func visitPage(ctx context.Context, link, quality string) (time.Duration, error) {
	site, _, _ := strings.Cut(link, "#")
	// a page that is not there has the same storage, and keeps no file
	if _, err := chromedp.Run(ctx, chromedp.Navigate(site+"assets/none")); err != nil {
		return 0, err
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({name: "Ann", quality: "`+quality+`"}))`)); err != nil {
		return 0, err
	}
	began := time.Now()
	if _, err := chromedp.Run(ctx, chromedp.Navigate(link)); err != nil {
		return 0, err
	}
	for {
		in, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+inGame+")"))
		if err != nil || in {
			return time.Since(began), err
		}
	}
}

// measureOpen measures the time from a link to the game, with an empty cache and with a full one.
func measureOpen() (r webResult, err error) {
	s, stop, err := webServer("ctf")
	if err != nil {
		return r, err
	}
	defer stop()
	var cold, cached time.Duration
	found, err := withBrowser(func(ctx context.Context) (err error) {
		if cold, err = visitPage(ctx, s.Link(), "low"); err == nil {
			cached, err = visitPage(ctx, s.Link(), "low")
		}
		return err
	})
	if !found {
		return untried, nil
	}
	return webResult{
		measured: fmt.Sprintf("cold %.1f s, cached %.1f s", cold.Seconds(), cached.Seconds()),
		pass:     cold <= coldMost && cached <= cachedMost,
	}, err
}

// measureDraw counts what the page draws with many players.
func measureDraw() (r webResult, err error) {
	s, stop, err := webServer("ctf", node.Var{Name: "sv.bots", Value: fmt.Sprint(drawPlayers - 1)})
	if err != nil {
		return r, err
	}
	defer stop()
	var calls, triangles float64
	found, err := withBrowser(func(ctx context.Context) error {
		if _, err := visitPage(ctx, s.Link(), "high"); err != nil {
			return err
		}
		for range 10 { // frames while the bots spread
			for name, most := range map[string]*float64{"calls": &calls, "triangles": &triangles} {
				n, err := chromedp.Run(ctx, chromedp.Evaluate[float64]("torc.view.renderer.info.render."+name))
				if err != nil {
					return err
				}
				*most = max(*most, n)
			}
			time.Sleep(time.Second)
		}
		return nil
	})
	if !found {
		return untried, nil
	}
	return webResult{
		measured: fmt.Sprintf("%.0f draw calls, %.0f triangles", calls, triangles),
		pass:     calls > 0 && calls <= callsMost && triangles <= trianglesMost,
	}, err
}
