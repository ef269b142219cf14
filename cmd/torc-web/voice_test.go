//go:build !js

package main

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
)

// wavRate is that of the files for microphones, in samples per second.
const wavRate = 48000

// speech writes a file for a microphone: ten seconds of a voice-like sound, syllables of a buzz
// whose pitch moves. A browser's suppression of noise takes a steady tone away.
func speech(t *testing.T) string {
	t.Helper()
	samples := make([]int16, 10*wavRate)
	phase := 0.0
	for i := range samples {
		at := float64(i) / wavRate
		pitch := 140 + 30*math.Sin(2*math.Pi*0.7*at)
		phase += 2 * math.Pi * pitch / wavRate
		sum := 0.0
		for k := 1.0; k <= 20; k++ {
			formant := math.Exp(-math.Pow((k*pitch-(500+200*math.Sin(2*math.Pi*1.3*at)))/250, 2)) + 0.5*math.Exp(-math.Pow((k*pitch-1500)/300, 2))
			sum += formant * math.Sin(k*phase)
		}
		syllable := math.Max(0, math.Sin(2*math.Pi*3.5*at))
		samples[i] = int16(9000 * sum * syllable / 2)
	}
	head := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	head = binary.LittleEndian.AppendUint32(head, wavRate)
	head = binary.LittleEndian.AppendUint32(head, 2*wavRate)
	head = append(head, "\x02\x00\x10\x00data"...)
	head = binary.LittleEndian.AppendUint32(head, uint32(2*len(samples)))
	for _, s := range samples {
		head = binary.LittleEndian.AppendUint16(head, uint16(s))
	}
	binary.LittleEndian.PutUint32(head[4:], uint32(len(head)-8))
	path := filepath.Join(t.TempDir(), "speech.wav")
	require.NoError(t, os.WriteFile(path, head, 0o600))
	return path
}

// microphone gives a browser a microphone that is a file, and a player who allows every page to use
// it.
func microphone(t *testing.T) []chromedp.ExecAllocatorOption {
	t.Helper()
	needBrowser(t) // before the speech is made
	return []chromedp.ExecAllocatorOption{
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-audio-capture", speech(t)), chromedp.Flag("mute-audio", false), chromedp.Flag("autoplay-policy", "no-user-gesture-required"),
	}
}

// openSpeaker opens a browser with a microphone.
func openSpeaker(t *testing.T) *browser {
	t.Helper()
	return openBrowserWith(t, 640, 480, microphone(t)...)
}

// countAsks counts how often the page asks for the microphone.
const countAsks = `if (navigator.mediaDevices) {
	globalThis.asks = 0;
	const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
	navigator.mediaDevices.getUserMedia = (o) => { asks++; return ask(o); };
}`

// newVoiceGame starts a server whose players can talk.
func newVoiceGame(t *testing.T, mode string, web node.Web) (s server, url, key string) {
	t.Helper()
	n, url, key := startGame(t, node.Config{
		Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "0"}, {Name: "sv.voice", Value: mode}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Web: &web},
	})
	return server{n, t}, url, key
}

// choose sets settings of the player.
func (b *browser) choose(values string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`(async () => {
		const url = performance.getEntriesByType("resource").map((e) => e.name).find((n) => /\/settings\.[0-9a-f]+\.js$/.test(n));
		(await import(url)).change(`+values+`);
		return true;
	})()`, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
}

// TestPlayersTalk: Ann holds the key and her microphone has a file. Bob hears it through a real
// server, sees who speaks, and can mute Ann.
func TestPlayersTalk(t *testing.T) {
	ann, bob := openSpeaker(t), openSpeaker(t)
	_, url, key := newVoiceGame(t, "all", node.Web{})
	for _, b := range []*browser{ann, bob} {
		b.beforePages(countAsks)
	}
	ann.join(url, key, "Ann")
	bob.join(url, key, "Bob")
	for _, b := range []*browser{ann, bob} {
		b.until(`torc.voice.rules.channels === 7 && torc.hud.line.kind === "rtc"`)
	}
	loaded := `performance.getEntriesByType("resource").some((e) => /\/(talkers|capture)\./.test(e.name))`
	assert.False(t, eval[bool](ann, loaded) || eval[bool](bob, loaded), "nobody has talked yet")
	ann.choose(`{ channel: 2 }`)
	ann.press("KeyB", true)
	ann.until(`torc.voice.microphone.open && document.getElementById("mic").classList.contains("open")`)
	const speaks = `torc.voice.speaking(performance.now()).some((t) => t.name === "Ann" && t.decoded > 25 && t.delay > 0)`
	bob.until(speaks + ` && document.getElementById("speaking").textContent === "Ann (all)"`)
	bob.until(`[...torc.voice.talkers.all.values()].some((t) => t.level > 0.01)`)
	bob.picture("voice")
	bob.press("Tab", true)
	bob.until(`[...document.querySelectorAll("[data-name=scores] .speaking")].some((c) => c.textContent === "Ann")`)
	eval[bool](bob, `torc.menu.show("voices"), true`)
	bob.until(`document.querySelector("#voices .people span")?.textContent === "Ann" && document.querySelector("#voices [role=status]").textContent.endsWith("ms after they arrive.")`)
	bob.picture("voices")
	eval[bool](bob, `document.querySelector("#voices .people button").click(), true`)
	bob.until(`document.getElementById("speaking").textContent === ""`)
	assert.Len(t, eval[[]any](bob, `JSON.parse(localStorage.getItem("torc.people"))`), 1)
	assert.Regexp(t, `^[0-9a-f]{16}$`, eval[string](bob, `JSON.parse(localStorage.getItem("torc.people"))[0][0]`))
	eval[bool](bob, `document.querySelector("#voices .people button").click(), true`)
	bob.until(speaks)
	ann.press("KeyB", false)
	ann.until(`document.getElementById("mic").hidden`)
	bob.until(`document.getElementById("speaking").textContent === ""`)
	assert.Equal(t, 1, eval[int](ann, `asks`))
	assert.Zero(t, eval[int](bob, `asks`), "nobody who only hears is asked")
	assert.Empty(t, ann.complaints())
	assert.Empty(t, bob.complaints())
}

// givesMicrophone reports whether the page of a server can ask for the microphone. It changes with
// the next tick after that of sv.voice.
func givesMicrophone(t *testing.T, url string) bool {
	t.Helper()
	r, err := http.Head(url + "/")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	return strings.Contains(r.Header.Get("Permissions-Policy"), "microphone=(self)")
}

// TestAServerCannotOpenTheMicrophone: whatever a server sends, only the key of the player asks for
// the microphone. While sv.voice is off, the browser refuses it to the page in any case, although
// the player allows everything.
func TestAServerCannotOpenTheMicrophone(t *testing.T) {
	b := openSpeaker(t)
	s, url, key := newVoiceGame(t, "off", node.Web{})
	b.beforePages(countAsks)
	ask := func() string {
		text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`navigator.mediaDevices.getUserMedia({ audio: true }).then((s) => { for (const t of s.getTracks()) t.stop(); return "open"; }, (e) => e.name)`, chromedp.EvalAwaitPromise))
		require.NoError(t, err)
		return text
	}
	b.join(url, key, "Ann")
	b.press("KeyB", true)
	b.press("KeyB", false)
	b.until(says("There is no voice at this server."))
	assert.Zero(t, eval[int](b, `asks`))
	assert.Equal(t, "NotAllowedError", ask())

	s.exec("sv.voice all")
	for limit := testenv.Limit(t); !givesMicrophone(t, url); testenv.Pause() {
		require.False(t, testenv.Expired(limit))
	}
	b.join(url, key, "Ann")
	b.until(`torc.voice.rules.mode === "all"`)
	assert.Equal(t, "open", ask(), "the page was loaded while there is voice")
	eval[bool](b, `(() => {
		asks = 0;
		const rules = { mode: "all", channels: 15, permit: "may", recorded: true }, kinds = ["MsgVote", "MsgVoteEnd", "MsgChat", "talk", "KeyB"];
		for (const [name, f] of Object.entries(torc.page)) {
			if (name === "ended" || name === "demo") continue;
			// These run later, so they must have lists.
			if (name === "binds") { f([{ mod: "m", name: "talk", key: "K", text: "talk" }]); continue; }
			if (name === "elements") { f([{ number: 1, name: "talk", at: "top left", rows: [{ kind: "text", text: "talk" }] }]); continue; }
			for (const args of [[rules], [1, 1, "talk", "00", 1, 2, 3, new Uint8Array([0x48, 1])], ...kinds.map((k) => [k, "talk\n1  talk"]), [1, "talk"], ["talk"], [15, "KeyB"]]) {
				try { f(...args); } catch { /* of another kind */ }
			}
		}
		torc.voice.obey({ mode: "all", channels: 7, permit: "may", recorded: false });
		return true;
	})()`)
	b.frames(5)
	assert.Zero(t, eval[int](b, `asks`))
	assert.Equal(t, "closed", eval[string](b, `torc.voice.microphone.state`))
	eval[bool](b, `torc.menu.hide(), true`)
	b.press("KeyB", true)
	b.until(`torc.voice.microphone.open`)
	assert.Equal(t, 1, eval[int](b, `asks`))
	s.exec("sv.voice off")
	b.until(`torc.voice.microphone.state === "closed" && document.getElementById("mic").hidden`)
}

// TestRecordingsHaveVoices: with sv.voiceDemo, a spectator hears who talks, and so does the page
// that plays a demo of the server, also behind a seek. Nobody can talk there.
func TestRecordingsHaveVoices(t *testing.T) {
	b := openSpeaker(t)
	data := t.TempDir()
	n, url, key := startGame(t, node.Config{
		Common: node.Common{Data: data, Vars: []node.Var{{Name: "sv.bots", Value: "0"}, {Name: "sv.voice", Value: "all"}, {Name: "sv.voiceDemo", Value: "true"}, {Name: "sv.watchDelay", Value: "0"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Web: &node.Web{}},
	})
	s := server{n, t}
	ann, err := node.NewClient(node.Config{Common: node.Common{Name: "Ann"}, Client: node.ClientConfig{Address: s.Address(), VoiceOut: hum()}})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- ann.Run(t.Context()) }()
	run(b, chromedp.Navigate(url+"/watch#"+key))
	const hears = `torc.voice.speaking(performance.now()).some((t) => t.name === "Ann" && t.decoded > 25)`
	b.until(`globalThis.torc?.program.is("watching") && ` + hears + ` && document.getElementById("speaking").textContent === "Ann (all)"`)
	assert.Equal(t, "You cannot talk here.", eval[string](b, `torc.voice.wrong()`))
	eval[bool](b, `torc.menu.show("voices"), true`)
	b.until(`document.querySelector("#voices [role=status]").textContent.endsWith("ms after they arrive.")`)
	exec := func(line string) {
		require.NoError(t, s.Do(func() {
			_, err := s.Console().Exec(line)
			require.NoError(t, err)
		}))
	}
	exec("record talk")
	now := func() (tick uint64) {
		require.NoError(t, s.Do(func() { tick = s.Host().TickNumber() }))
		return tick
	}
	for limit, end := testenv.Limit(t), now()+400; now() < end; testenv.Pause() {
		require.False(t, testenv.Expired(limit))
	}
	exec("record stop")
	require.NoError(t, ann.Close())
	require.NoError(t, <-ended)
	demo, err := os.ReadFile(filepath.Join(data, "demos", "talk.torc"))
	require.NoError(t, err)
	run(b, chromedp.Navigate(url+"/?demo"))
	b.until(`document.getElementById("status").textContent.startsWith("Demos")`)
	eval[bool](b, `(() => {
		const data = new DataTransfer();
		data.items.add(new File([Uint8Array.from(atob("`+base64.StdEncoding.EncodeToString(demo)+`"), (c) => c.charCodeAt(0))], "a.torc"));
		return dispatchEvent(new DragEvent("drop", { dataTransfer: data }));
	})()`)
	b.until(`globalThis.torc?.reel && ` + hears)
	eval[bool](b, `torc.reel.set("seek", 1), torc.voice.talkers.all.clear(), true`)
	b.until(hears)
	assert.Empty(t, b.complaints())
}

// hum says frames of silence, as many as a tick has.
func hum() func() []engine.Speech {
	due := 0 * time.Millisecond
	return func() (said []engine.Speech) {
		for due += engine.TickTime; due >= voice.FrameTime; due -= voice.FrameTime {
			said = append(said, engine.Speech{Channel: voice.All, Data: []byte{0xf8, 0xff, 0xfe}})
		}
		return said
	}
}
