//go:build !js

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/cmd/torc-web/www"
)

// followPage is an empty page with what follows a server. log has what it does: the addresses that
// it asks and opens, and what it tells the program.
const followPage = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><title>follow</title>
<body><main id="hud"><div id="vote" hidden></div><div id="follow" hidden></div></main><script type="module">
	const key = globalThis.key = "a".repeat(52), log = globalThis.log = [];
	globalThis.answers = { "/s/arena-1/server.json": { key, protocol: 10 }, "/s/old/server.json": { key, protocol: 9 }, "/s/other/server.json": { key: "b".repeat(52), protocol: 10 } };
	globalThis.fetch = async (url) => { log.push("fetch " + url); if (!answers[url]) throw new Error("404"); return { ok: true, json: async () => answers[url] }; };
	delete globalThis.RTCPeerConnection;
	globalThis.WebSocket = class { static OPEN = 1; readyState = 1; constructor(url) { log.push("open " + url.pathname); setTimeout(() => this.onopen()); } close() { log.push("close"); } };
	globalThis.open = (url) => log.push("window " + url);
	const { Follow } = await import("/follow.js");
	globalThis.lines = new Map();
	globalThis.follow = new Follow(lines, {
		protocol: 10, kind: null, receive() {}, reached: (number, why) => log.push("reached " + number + (why && " not")), answer: (goes) => log.push("goes " + goes),
		arrived: (number, name, at) => log.push("at " + name + (at === key)),
	});
	globalThis.ready = true;
</script>`

// shownLink is the link of the page, with what the player reads.
const shownLink = `document.getElementById("follow").hidden ? "" : Array.from(document.querySelectorAll("#follow a"), (a) => a.textContent + " " + a.href.replace(key, "KEY") + " " + a.rel).join()`

func openFollow(t *testing.T) (b *browser, site string) {
	t.Helper()
	b = openBrowser(t, 640, 480)
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(www.FS))
	mux.HandleFunc("GET /follow", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(followPage)) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	run(b, chromedp.Navigate(s.URL+"/follow?line=ws"))
	b.until(`globalThis.ready`)
	return b, strings.TrimPrefix(s.URL, "http://")
}

// TestPageFollowsNames: the page opens a line to a server whose name is behind its origin, with its
// key and its protocol. For all others there is a link, which nothing opens but the player.
func TestPageFollowsNames(t *testing.T) {
	b, site := openFollow(t)
	for _, row := range []struct {
		name, address string
		log, link     string
	}{
		{"arena-1", "h:1", `fetch /s/arena-1/server.json; open /s/arena-1/ws; reached 2`, ""},
		{"old", "h:1", `fetch /s/old/server.json; reached 2 not`, site + "/s/old/ http://" + site + "/s/old/#KEY noopener noreferrer"},
		{"other", "arena.example.org:28000", `fetch /s/other/server.json; reached 2 not`, "arena.example.org:28000 http://arena.example.org:28000/#KEY noopener noreferrer"},
		{"none", "[2001:db8::1]:5", `fetch /s/none/server.json; reached 2 not`, "[2001:db8::1]:5 http://[2001:db8::1]:5/#KEY noopener noreferrer"},
		{"Our <b>Arena</b>", "192.0.2.1:5", `reached 2 not`, "192.0.2.1:5 http://192.0.2.1:5/#KEY noopener noreferrer"},
	} {
		text := b.result(`log.length = 0; lines.clear(); follow.hide(); await follow.reach(2, "` + row.name + `", "` + row.address + `", key);
			return log.filter((line) => !/^fetch http/.test(line)).join("; ") + "|" + (` + shownLink + `)`)
		assert.Equal(t, `"`+row.log+"|"+row.link+`"`, text, row.name)
	}
	assert.Contains(t, eval[string](b, `document.getElementById("follow").textContent`), "This page cannot go to Our <b>Arena</b>.")
	b.picture("elsewhere")
	assert.Equal(t, `["at arena-1true","/s/arena-1/?line=ws#`+strings.Repeat("a", 52)+`","torc – arena-1",""]`,
		b.result(`await follow.reach(3, "arena-1", "h:1", key); log.length = 0; follow.arrived(3); return [log.join(), location.pathname + location.search + location.hash, document.title, `+shownLink+`]`))
	assert.Equal(t, `[1,0]`, b.result(`const before = lines.size; follow.left(3); follow.left(3); return [before, lines.size]`))
	assert.Equal(t, `[0,"fetch /s/arena-1/server.json"]`, b.result(`follow.end(); log.length = 0; await follow.reach(4, "arena-1", "h:1", key); return [lines.size, log.join()]`), "after the end no line opens")
	assert.Empty(t, b.complaints())
}

// TestPageAsksBeforeItFollows answers the question by keys, by a click and by a finger. A vote has
// the keys first.
func TestPageAsksBeforeItFollows(t *testing.T) {
	b, _ := openFollow(t)
	eval[bool](b, `follow.asked("arena-1<b>"), true`)
	assert.Equal(t, "This server sends you to arena-1<b>. Do you want to go?Yes  F2No  F3", eval[string](b, `document.getElementById("follow").textContent`))
	b.picture("asked")
	assert.Equal(t, `[false,true,"goes true",true,false]`, b.result(`vote.hidden = false; const voted = follow.answer("yes"); vote.hidden = true;
		return [voted, follow.answer("yes"), log.splice(0).join(), document.getElementById("follow").hidden, follow.answer("no")]`))
	for _, event := range []string{`new PointerEvent("pointerdown", { pointerType: "touch", bubbles: true })`, `new MouseEvent("click", { bubbles: true })`} {
		assert.Equal(t, `"goes false"`, b.result(`follow.asked("a"); document.querySelector("#follow button:last-child").dispatchEvent(`+event+`); return log.splice(0).join()`))
	}
	assert.Equal(t, `["",true,false]`, b.result(`follow.asked("a"); follow.asked(null); return [log.join(), document.getElementById("follow").hidden, follow.answer("yes")]`))
	assert.Empty(t, b.complaints())
}

// TestAServerSendsThePageNowhere: whatever a server names, the page asks and opens only paths
// /s/NAME/ of its own origin, and shows only links with a plain host. Nothing is opened by itself.
func TestAServerSendsThePageNowhere(t *testing.T) {
	b, _ := openFollow(t)
	text := b.result(`
		const names = ["", "..", "../x", "a/b", "A", "a b", "a\n", "\na", "a%2f", "a?x", "a#x", "//evil.example", "https://evil.example/", "a".repeat(33), "\u0430", "javascript:1", "a\\b", null, undefined, 5, {}, ["arena-1"], { toString: () => "x" }];
		const addresses = ["", "evil", "javascript:alert(1)", "evil.example:1/path", "me@evil.example:1", "me:pw@h:1", "h:1#x", "h:1?x", "h:99999", "h:", ":1", "h:1\n", "h :1", "//h:1", "[::1:1", "[x]:1", "https://evil.example:1", "h:1:2", "-:1", "a".repeat(300) + ":1", null, undefined, 5, {}];
		const keys = [key, "", "x", key + "/../", "<b>", null, undefined, 5, {}, "\n" + key];
		const bad = [], at = location.href;
		for (const name of names) for (const address of addresses) for (const key of keys) {
			log.length = 0;
			try { await follow.reach(2, name, address, key); } catch (e) { bad.push("throws " + e.message); }
			for (const line of log) if (!/^reached 2 not$|^fetch \/s\/[a-z0-9-]{1,32}\/server\.json$/.test(line)) bad.push(line);
			for (const a of document.querySelectorAll("#follow:not([hidden]) a")) {
				if (!/^http:\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d+)?\/#[a-z2-7]{52}$/.test(a.href) || a.textContent !== new URL(a.href).host) bad.push(a.href);
			}
			for (const number of [-1, 0, 2, 65536, "x", null]) { try { follow.left(number); } catch (e) { bad.push("left " + e.message); } }
			follow.asked(name ?? null), follow.asked(null);
		}
		if (location.href !== at) bad.push(location.href);
		return [...new Set(bad)];`)
	assert.Equal(t, `[]`, text)
	assert.Zero(t, eval[int](b, `document.querySelectorAll("#follow b").length`))
	assert.Empty(t, b.complaints())
}
