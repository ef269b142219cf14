//go:build !js

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
)

// TestPageInArabic plays on a page that reads from right to left. The browser asks for the
// language, and the reason of a refusal is in it, too.
func TestPageInArabic(t *testing.T) {
	b := openBrowserWith(t, 1280, 960, chromedp.Flag("lang", "ar-EG"))
	b.beforePages(`Object.defineProperty(navigator, "languages", { get: () => ["ar-EG", "en"] })`)
	code := axeCore(t)
	n, url, key := newGame(t, "1")
	s := server{n, t}
	s.exec(`sv.accepting false`)
	run(b, chromedp.Navigate(url+"/#"+key))
	b.until(`document.activeElement?.id === "name"`)
	assert.Equal(t, "rtl ar", eval[string](b, `document.documentElement.dir + " " + document.documentElement.lang`))
	assert.Equal(t, "انضمام", eval[string](b, `document.querySelector("#start form > button").textContent`))
	eval[bool](b, `document.getElementById("name").value = "Zoë", document.querySelector("#start form > button").click(), true`)
	b.until(`document.getElementById("status").textContent.includes("لا يقبل الخادم لاعبين جددًا")`)
	s.exec(`sv.accepting true`)
	b.join(url, key, "Zoë")
	eval[bool](b, `torc.hud.message("Zoë: hello"), torc.menu.show("keys"), true`)
	b.frames(2)
	assert.Equal(t, "سر إلى الأمام", eval[string](b, `document.querySelector("#keys span").textContent`))
	assert.True(t, eval[bool](b, `document.querySelector("#keys span").getBoundingClientRect().left > document.querySelector("#keys button").getBoundingClientRect().left`), "the name of a key is on the right of it")
	run(b, chromedp.Evaluate[chromedp.Void](strings.TrimSuffix(code, "\n")))
	wrong, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](serious, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	assert.Empty(t, wrong)
	b.picture("arabic")
	s.exec(`for _, c in ipairs(players()) do if not c.isBot then ann = c end end`)
	s.exec(`for _, way in ipairs { vec(40, 0, 2), vec(-40, 0, 2), vec(0, 40, 2), vec(0, -40, 2) } do new "WayPoint" { position = ann.controlObject.position + way, text = "the ford" } end`)
	eval[bool](b, `torc.menu.resume(), true`)
	b.until(`Array.from(document.querySelectorAll("#places div:not([hidden])")).some((d) => /^◆ .*the ford.* م$/.test(d.textContent))`)
	b.until(`document.getElementById("hud3").textContent !== ""`)
	assert.NotContains(t, eval[string](b, `document.getElementById("hud3").textContent`), "الطاقة", "the bar shows it")
	b.picture("places")
	assert.Empty(t, b.complaints())
}

// TestLanguageLogic runs the choice of the language, its plural forms and the reasons on an empty
// page beside the files of the page.
func TestLanguageLogic(t *testing.T) {
	b := openBrowser(t, 320, 240)
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(www.FS))
	mux.HandleFunc("GET /empty", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><title>empty</title><body><p aria-label="the game">Your name <b>Menu</b></p>`))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	for _, row := range []struct {
		name, chosen, browser string // what the player has chosen, and what the browser asks for
		script                string
		want                  []string
	}{
		{"English needs no file", "", `["en-GB", "de"]`, `[asked, phrase("%1 corrected", 2), reason("kicked: cheats"), loaded.join()]`, []string{"en-GB", "2 corrected", "kicked: cheats", ""}},
		{"the first language that the page has", "", `["nl", "pt-BR", "de"]`, `[asked, phrase("Menu"), phrase("Voices"), loaded.join()]`, []string{"nl", "Menu", "Vozes", "./text.pt.js"}},
		{"the choice of the player comes first", "de", `["fr"]`, `[asked, document.body.textContent, document.body.firstElementChild.getAttribute("aria-label"), document.documentElement.lang]`, []string{"de", "Dein Name Menü", "das Spiel", "de"}},
		{"an unknown language", "xx", `["fr"]`, `[phrase("Menu"), loaded.join()]`, []string{"Menu", ""}},
		{"plural forms", "pl", `[]`, `[1, 2, 5, 22].map((n) => phrase("%1 corrected", n))`, []string{"1 poprawka", "2 poprawki", "5 poprawek", "22 poprawki"}},
		{"reasons", "de", `[]`, `["shutting down", "kicked: above the law", "disconnected from a:1: kicked: Menu", "banned: rude (for 5m0s)", "the line of a mod"].map((text) => reason(text))`,
			[]string{"der Server wird beendet", "hinausgeworfen: above the law", "getrennt von a:1: hinausgeworfen: Menu", "gesperrt: rude (for 5m0s)", "the line of a mod"}},
		{"reasons in reasons end", "de", `[]`, `[reason("kicked: ".repeat(5) + "x")]`, []string{"hinausgeworfen: hinausgeworfen: hinausgeworfen: kicked: kicked: x"}},
		{"names of the other direction are isolated", "de", `[]`, `[phrase("above %1", "Zoë"), phrase("above %1", "عمر")]`, []string{"über Zoë", "über \u2068عمر\u2069"}},
		{"and all from right to left", "ar", `[]`, `[phrase("above %1", "Zoë")]`, []string{"فوق \u2068Zoë\u2069"}},
		{"no property of objects is a phrase", "de", `[]`, `[phrase("constructor"), reason("toString")]`, []string{"constructor", "toString"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b.t = t
			run(b, chromedp.Navigate(s.URL+"/empty"))
			got := b.result(`localStorage.setItem("torc", JSON.stringify({ language: "` + row.chosen + `" }));
				Object.defineProperty(navigator, "languages", { value: ` + row.browser + ` });
				Object.defineProperty(navigator, "language", { value: navigator.languages[0] });
				const { asked, phrase, reason, speak } = await import("/language.js"), loaded = [];
				await speak((file) => { loaded.push(file); return import("/" + file.slice(2)); });
				return ` + row.script)
			var all []string
			require.NoError(t, json.Unmarshal([]byte(got), &all))
			assert.Equal(t, row.want, all)
		})
	}
	b.t = t
	assert.Empty(t, b.complaints())
}
