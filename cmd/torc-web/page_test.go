//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
)

// browser is one tab of a browser that has opened the page of a server.
type browser struct {
	t        *testing.T
	ctx      context.Context
	pictures string // folder of the screenshots

	mu     sync.Mutex
	wrong  []string        // what the browser complained about
	failed context.Context // ends with the first exception
	fail   context.CancelFunc
}

// openBrowser starts a browser. It skips the test without TORC_BROWSER, because a browser that
// draws without a GPU keeps both cores busy. TORC_BROWSER=large makes pictures for people: four
// times as large, and of better quality. They stay in the folder TORC_PICTURES.
func openBrowser(t *testing.T, width, height int) *browser {
	t.Helper()
	return openBrowserWith(t, width, height)
}

// needBrowser skips the test without TORC_BROWSER.
func needBrowser(t *testing.T) {
	t.Helper()
	if os.Getenv("TORC_BROWSER") == "" {
		t.Skip("TORC_BROWSER=1 runs the page in a browser")
	}
}

// openBrowserWith is openBrowser with more options.
func openBrowserWith(t *testing.T, width, height int, more ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	needBrowser(t)
	found := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			found = path
			break
		}
	}
	require.NotEmpty(t, found, "no browser: install chromium")
	b := &browser{t: t, pictures: os.Getenv("TORC_PICTURES")}
	if b.pictures == "" {
		b.pictures = t.TempDir()
	}
	if !large() {
		width, height = width/2, height/2 // a quarter of the work
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(found), chromedp.NoSandbox, chromedp.WindowSize(width, height),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-gpu", false))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b.ctx = ctx
	b.failed, b.fail = context.WithCancel(ctx)
	_, err := chromedp.Run(ctx, chromedp.Navigate("about:blank"))
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, page.BringToFront, cdp.Empty{}) // Chromium gives the mouse only to a page in front
	require.NoError(t, err)
	require.NoError(t, chromedp.Listen(ctx, b.listen))
	return b
}

// listen notes errors and violations of the policy.
func (b *browser) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		b.fail()
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			text = e.Entry.Text + " " + e.Entry.URL
		}
	}
	if text != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.wrong = append(b.wrong, text)
	}
}

// complaints returns what the browser complained about so far.
func (b *browser) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string{}, b.wrong...)
}

func run[T any](b *browser, a chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, a)
	require.NoError(b.t, err)
	return v
}

func eval[T any](b *browser, script string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](script))
}

// pageState says what the page shows, for a test that fails.
const pageState = `JSON.stringify({
	status: document.getElementById("status")?.textContent, log: document.getElementById("output")?.textContent, text: document.body.innerText,
	line: globalThis.torc?.program.calls.wrong(), flags: globalThis.torc?.program.number("flags"), rows: globalThis.torc?.program.number("rows"),
	frame: globalThis.torc?.view.things.frame,
})`

// mostFrames is how many pictures a condition can take: the game goes on by them, however slow the
// machine is.
const mostFrames = 2000

// wait is the JavaScript that waits for a condition. It gives up after too many pictures, and when
// the client ends.
const wait = `(async () => {
	const frame = () => globalThis.torc?.view.things.frame ?? 0, last = frame() + %d;
	for (;;) {
		const met = !!(%s);
		if (met || globalThis.torc?.ended !== undefined || frame() > last) return met;
		await new Promise((next) => setTimeout(next, 4));
	}
})()`

// until waits until a JavaScript condition holds. It fails at the first exception of the page.
func (b *browser) until(condition string) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.failed)
	defer cancel()
	go func() {
		select {
		case <-testenv.Limit(b.t):
			cancel()
		case <-ctx.Done():
		}
	}()
	if met, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(wait, mostFrames, condition), chromedp.EvalAwaitPromise)); !met {
		b.picture("late")
		require.Fail(b.t, "never: "+condition, "%v, %v, %s", err, b.complaints(), eval[string](b, pageState))
	}
}

// picture keeps a screenshot.
func (b *browser) picture(name string) {
	b.t.Helper()
	png := run(b, chromedp.CaptureScreenshot())
	path := filepath.Join(b.pictures, name+".png")
	require.NoError(b.t, os.WriteFile(path, png, 0o600))
	b.t.Log(path)
}

// press sends a key that no text field takes.
func (b *browser) press(code string, down bool) {
	b.t.Helper()
	kind := "keyup"
	if down {
		kind = "keydown"
	}
	eval[bool](b, `dispatchEvent(new KeyboardEvent("`+kind+`", {code: "`+code+`", cancelable: true}))`)
}

// beforePages runs a script before those of each page.
func (b *browser) beforePages(script string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	require.NoError(b.t, err)
}

// open opens the page of a server as a new player.
func (b *browser) open(url, key, name string) {
	b.t.Helper()
	if !strings.Contains(url, "?") {
		url += "/"
	}
	run(b, chromedp.Navigate(url+"#"+key))
	run(b, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({name: "`+name+`", quality: "`+b.quality()+`"}))`))
	run(b, chromedp.Reload())
	b.until(`globalThis.torc?.program.is("ready") && torc.program.is("body")`)
}

// join opens the page of a server and begins to play as a new player.
func (b *browser) join(url, key, name string) {
	b.t.Helper()
	b.open(url, key, name)
	run(b, chromedp.Evaluate[chromedp.Void](`document.querySelector("#start button").click()`))
}

// quality is that of the picture. Without a GPU, good pictures take a second each.
func (b *browser) quality() string {
	if large() {
		return "medium"
	}
	return "low"
}

// large reports whether the pictures are for people.
func large() bool { return os.Getenv("TORC_BROWSER") == "large" }

// newGame starts a server of ctf with bots that serves browsers, and returns the page's URL and the
// key.
func newGame(t *testing.T, bots string) (server *node.Server, url, key string) {
	t.Helper()
	return newGameWith(t, bots, func(*node.Web) {})
}

// newGameWith is newGame with changed settings.
func newGameWith(t *testing.T, bots string, change func(*node.Web)) (server *node.Server, url, key string) {
	t.Helper()
	web := &node.Web{}
	change(web)
	return startGame(t, node.Config{
		Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: bots}, {Name: "sv.watchDelay", Value: "1"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Web: web},
	})
}

// startGame starts a server that serves browsers.
func startGame(t *testing.T, config node.Config) (server *node.Server, url, key string) {
	t.Helper()
	_, err := program()
	require.NoError(t, err)
	if config.Server.Web == nil {
		config.Server.Web = &node.Web{}
	}
	config.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	config.Server.Listen, config.Server.Web.Listen, config.Server.Web.Pages = "127.0.0.1:0", "127.0.0.1:0", []fs.FS{www.FS}
	if config.Server.Web.Build == nil {
		config.Server.Web.Build = built
	}
	s, err := node.NewServer(config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, s.Start())
	go func() { _ = s.Run(context.Background()) }()
	url, key, _ = strings.Cut(s.Addresses().Link, "/#")
	for limit := testenv.Limit(t); ; testenv.Pause() {
		require.False(t, testenv.Expired(limit), "the page is served")
		answer, err := http.Get("http://" + s.Addresses().Web.String())
		require.NoError(t, err)
		page, err := io.ReadAll(answer.Body)
		require.NoError(t, errors.Join(err, answer.Body.Close()))
		if strings.Contains(string(page), `id="view"`) {
			return s, url, key
		}
	}
}

func TestBrowserPlaysCTF(t *testing.T) {
	b := openBrowser(t, 1280, 720)
	_, url, key := newGame(t, "10")
	b.join(url, key, "Ann")
	b.until(`torc.program.number("rows") > 15 && torc.view.ground > 0`)
	b.picture("joined")

	where := `torc.program.state[torc.program.word.eye + %]`
	x, y := eval[float64](b, strings.ReplaceAll(where, "%", "0")), eval[float64](b, strings.ReplaceAll(where, "%", "1"))
	b.press("KeyW", true)
	b.until(strings.NewReplacer("X", number(x), "Y", number(y)).Replace(`Math.hypot(torc.program.state[torc.program.word.eye] - X, torc.program.state[torc.program.word.eye + 1] - Y) > 4`))
	b.press("KeyW", false)
	b.until(`(() => { // at once; a player who dies meanwhile turns with the next body
		const { program } = torc, yaw = program.get("yaw");
		program.turn(30, 8);
		program.step();
		return Math.abs(((program.get("yaw") - yaw) % 360 + 360) % 360 - 30) < 15;
	})()`)
	b.picture("walked")

	eval[bool](b, `torc.input.hold("fire", true), true`)
	b.until(`Array.from(torc.view.things.known.values()).some((k) => k.kind === "shot" || k.kind === "burst")`)
	b.picture("shot")
	eval[bool](b, `torc.input.hold("fire", false), torc.input.hold("jet", true), true`)
	b.until(`torc.program.get("energy") < 0.8`)
	b.press("KeyX", true)
	b.until(`!torc.program.is("firstPerson")`)
	b.picture("jets")
	eval[bool](b, `torc.input.hold("jet", false), true`)

	b.press("Tab", true)
	b.until(`document.querySelector("[data-name=scores]")?.textContent.includes("captures")`)
	b.picture("scores")
	b.press("Tab", true)

	b.press("KeyT", true)
	b.until(`!document.getElementById("say").hidden`)
	run(b, chromedp.KeyEvent("<b>hello</b>\r"))
	b.until(`Array.from(document.querySelectorAll("#messages div")).some((d) => d.textContent === "Ann: <b>hello</b>")`)
	assert.Zero(t, eval[int](b, `document.querySelectorAll("#messages b b").length`), "what players say is text")

	b.press("Backquote", true)
	b.until(`!document.getElementById("menu").hidden`)
	run(b, chromedp.KeyEvent("net.ra\t"))
	b.until(`document.querySelector("#console input").value.startsWith("net.rate")`)
	run(b, chromedp.KeyEvent("\rreturn 6 * 7\r"))
	b.until(`document.getElementById("output").textContent.includes("42")`)
	b.picture("console")
	assert.Empty(t, b.complaints())
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// TestFirstVisitAsksForANameOnce: a link joins with a name and one press of a key. The key of the
// player stays.
func TestFirstVisitAsksForANameOnce(t *testing.T) {
	b := openBrowser(t, 800, 600)
	s, url, key := newGame(t, "0")
	run(b, chromedp.Navigate(url+"/#"+key))
	b.until(`document.activeElement?.id === "name"`)
	run(b, chromedp.KeyEvent("Zoë\r"))
	b.until(`document.getElementById("start").hidden && torc.program.is("body")`)
	player := func() (name, key string) {
		require.NoError(t, s.Do(func() {
			c := s.Host().Connections()[0]
			name, key = c.PlayerName, c.Key().String()
		}))
		return name, key
	}
	name, first := player()
	assert.Equal(t, "Zoë", name)
	b.press("Backquote", true)
	eval[bool](b, `document.querySelector("[data-tab=settings]").click(), true`)
	b.picture("settings")
	run(b, chromedp.Reload())
	b.until(`globalThis.torc?.program.is("body")`)
	_, second := player()
	assert.Equal(t, first, second, "the browser keeps the key")

	run(b, chromedp.Navigate(url+"/?again#short"))
	b.until(`document.getElementById("status").textContent.includes("no key of a server")`)
	assert.Empty(t, b.complaints())
}
