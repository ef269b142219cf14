//go:build !js

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// axeCore returns the code of axe-core, as the lock file in the folder axe has it. It skips the
// test where the registry of npm does not answer.
func axeCore(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm to fetch axe-core")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join("axe", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	fetch := exec.Command(npm, "ci", "--ignore-scripts", "--no-fund", "--no-audit", "--fetch-retries=0", "--fetch-timeout=20000")
	fetch.Dir = dir
	if out, err := fetch.CombinedOutput(); err != nil {
		require.NotContains(t, string(out), "EINTEGRITY")
		t.Skipf("the registry of npm does not answer, so there is no axe-core: %s", out)
	}
	code, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	require.NoError(t, err)
	return string(code)
}

// serious lists the serious violations of the rules of axe-core.
const serious = `(async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
	.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id + ": " + v.nodes.map((n) => n.html).join(" ")))()`

// TestAxeFindsNothingSerious looks at the first page, the game and each page of the menu.
func TestAxeFindsNothingSerious(t *testing.T) {
	b := openBrowser(t, 1280, 960)
	code := axeCore(t)
	_, url, key := newGame(t, "2")
	check := func(where string) {
		t.Helper()
		wrong, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](serious, chromedp.EvalAwaitPromise))
		require.NoError(t, err)
		assert.Empty(t, wrong, where)
	}
	load := func() { run(b, chromedp.Evaluate[chromedp.Void](strings.TrimSuffix(code, "\n"))) }
	run(b, chromedp.Navigate(url+"/#"+key))
	b.until(`document.activeElement?.id === "name"`)
	load()
	check("the first page")
	b.join(url, key, "Ann")
	load()
	b.press("Tab", true)
	b.until(`document.querySelector("[data-name=scores] td")`)
	eval[bool](b, `torc.hud.told("MsgVote", "a vote"), document.getElementById("touch").hidden = false, true`)
	check("the game")
	eval[bool](b, `torc.forms.show([{ number: 1, replaces: 0, name: "shop", title: "Shop", complete: true, answered: false, rows: [
		{ kind: "text", name: "", text: "Buy" }, { kind: "button", name: "buy", text: "" }, { kind: "field", name: "who", text: "", length: 9, value: "" },
		{ kind: "choice", name: "size", text: "", choices: ["a"], value: 0 }, { kind: "slider", name: "loud", text: "", min: 0, max: 1, step: 0, value: 0 },
		{ kind: "table", name: "item", text: "items", columns: ["a"], rows: [["b"]], value: 1 }, { kind: "bar", name: "", text: "health", value: 1 }, { kind: "look", name: "", text: "", look: null }] }]), true`)
	check("a form")
	eval[bool](b, `torc.forms.show([]), true`)
	b.press("KeyT", true)
	check("the chat")
	eval[bool](b, `document.body.classList.add("voiced"), torc.voice.meet({mark: "a1", name: "Zoë"}), true`)
	for _, tab := range []string{"game", "settings", "keys", "voices", "console"} {
		eval[bool](b, `torc.menu.show("`+tab+`"), true`)
		b.frames(2)
		check(tab)
	}
	assert.Empty(t, b.complaints())
}
