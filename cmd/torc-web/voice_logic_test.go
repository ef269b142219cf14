//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
)

// TestVoiceLogic runs the parts of voice that need no device, on an empty page beside the files of
// the page.
func TestVoiceLogic(t *testing.T) {
	b := openBrowser(t, 320, 240)
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(www.FS))
	mux.HandleFunc("GET /empty", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><title>empty</title>`))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	for _, part := range []struct {
		name string
		test func(t *testing.T, b *browser)
	}{{"order", voiceIsPutInOrder}, {"budget", talkersHaveABudget}, {"ring", voiceWaitsInARing}, {"microphone", microphoneOpensByTheKey}, {"people", mutesAreKeptByMark}, {"capture", oldFramesAreNotSaid}, {"reasons", pageSaysWhyItIsSilent}, {"talkers", decodersAreSafe}, {"places", voicesComeFromTheirPlayers}} {
		t.Run(part.name, func(t *testing.T) {
			b.t = t
			run(b, chromedp.Navigate(s.URL+"/empty"))
			part.test(t, b)
		})
	}
	b.t = t
	assert.Empty(t, b.complaints())
}

// result is what an async function returns, as JSON.
func (b *browser) result(body string) (text string) {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`(async () => JSON.stringify(await (async () => {`+body+`})()))()`, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
	return text
}

// voiceIsPutInOrder: the frames of a talker come to the decoder in the order of their numbers. Late
// and double frames are dropped. A frame waits 20 ms for the one before it, and not at all after a
// pause. Numbers go round.
func voiceIsPutInOrder(t *testing.T, b *browser) {
	const script = `
		const { Order } = await import("/order.js"), order = new Order(), all = [];
		for (const [at, number, data] of %s) {
			if (data) order.put(number, data, at);
			for (const { data, gap } of order.take(at)) all.push({ at, data, gap: gap === Infinity ? null : gap });
		}
		return { all: all.map((f) => f.at + " " + f.data + " " + f.gap), late: order.late };`
	for _, row := range []struct {
		name, puts string
		want       []string
		late       int
	}{
		{"in order, round", `[[0, 254, "a"], [20, 255, "b"], [40, 0, "c"], [60, 1, "d"]]`, []string{"0 a null", "20 b 0", "40 c 0", "60 d 0"}, 0},
		{"out of order", `[[0, 254, "a"], [20, 0, "c"], [25, 255, "b"], [30, 1, "d"]]`, []string{"0 a null", "25 b 0", "25 c 0", "30 d 0"}, 0},
		{"lost, then late", `[[0, 9, "a"], [20, 11, "c"], [39], [40], [41, 10, "b"], [60, 12, "d"]]`, []string{"0 a null", "40 c 1", "60 d 0"}, 1},
		{"twice", `[[0, 9, "a"], [1, 9, "a"], [20, 11, "c"], [21, 11, "c"], [22, 10, "b"]]`, []string{"0 a null", "22 b 0", "22 c 0"}, 2},
		{"after a pause nobody waits", `[[0, 9, "a"], [200, 16, "b"], [1800, 90, "c"]]`, []string{"0 a null", "200 b null", "1800 c null"}, 0},
		{"after 2 s any number is the next", `[[0, 9, "a"], [2000, 8, "b"], [2020, 9, "c"]]`, []string{"0 a null", "2000 b null", "2020 c 0"}, 0},
		{"many wait", `[[0, 0, "a"], [1, 2, "c"], [1, 3, "d"], [1, 4, "e"], [1, 5, "f"], [1, 6, "g"], [1, 7, "h"], [1, 8, "i"], [1, 9, "j"], [1, 10, "k"], [1, 11, "l"], [1, 12, "m"]]`,
			[]string{"0 a null", "1 c 1", "1 d 0", "1 e 0", "1 f 0", "1 g 0", "1 h 0", "1 i 0", "1 j 0", "1 k 0", "1 l 0", "1 m 0"}, 0},
	} {
		var got struct {
			All  []string
			Late int
		}
		require.NoError(t, json.Unmarshal([]byte(b.result(fmt.Sprintf(script, row.puts))), &got))
		assert.Equal(t, row.want, got.All, row.name)
		assert.Equal(t, row.late, got.Late, row.name)
	}
}

// talkersHaveABudget: the decoder gets 52 frames a second, and 10 at once.
func talkersHaveABudget(t *testing.T, b *browser) {
	assert.Equal(t, `{"once":10,"honest":500,"flood":529}`, b.result(`
		const { Budget } = await import("/budget.js");
		const count = (every, ms) => { const b = new Budget(0); let n = 0; for (let at = 0; at < ms; at += every) if (b.take(at)) n++; return n; };
		const once = new Budget(0);
		let n = 0;
		for (let i = 0; i < 1000; i++) if (once.take(0)) n++;
		return { once: n, honest: count(20, 10000), flood: count(1, 10000) };`))
}

// voiceWaitsInARing: playing begins with 40 ms and ends without a click, a lost frame is a short
// fade, and a burst does not delay what follows for ever.
func voiceWaitsInARing(t *testing.T, b *browser) {
	const ring = `
		const { Ring, frame } = await import("/ring.js"), ring = new Ring(), heard = [];
		const put = (value, gap = 0) => ring.put(new Float32Array(frame).fill(value), gap);
		const pull = (n) => { for (let i = 0; i < n; i++) { const out = new Float32Array(128); ring.pull(out); heard.push(...out); } };
		const jump = () => heard.reduce((most, x, i) => Math.max(most, Math.abs(x - (heard[i - 1] ?? 0))), 0);
		const rest = () => { heard.length = 0; pull(400); };`
	assert.Equal(t, `{"early":true,"before":960,"loud":true,"smooth":true,"holes":1,"left":0}`, b.result(ring+`
		put(0.5, Infinity);
		pull(20);
		const early = heard.every((x) => x === 0), before = ring.waiting;
		put(0.5);
		rest();
		return { early, before, loud: heard[1000] === 0.5, smooth: jump() < 0.01, holes: ring.holes, left: ring.waiting };`))
	assert.Equal(t, `{"length":4800,"smooth":true,"silent":true}`, b.result(ring+`
		put(0.5, Infinity), put(0.5), put(0.5);
		pull(1);
		put(0.5, 1);
		const length = ring.waiting + 128;
		heard.length = 0;
		pull(60);
		return { length, smooth: jump() <= 0.5 && heard.slice(1, 4500).every((x, i) => Math.abs(x - heard[i]) < 0.01), silent: heard.slice(2752, 3712).every((x) => x === 0) };`))
	assert.Equal(t, `{"most":true,"smooth":true,"shrunk":true,"whole":true}`, b.result(ring+`
		put(0.008, Infinity);
		for (let i = 0; i < 40; i++) put(0.008);
		const most = ring.waiting <= 8 * frame;
		pull(1);
		heard.length = 0;
		for (let i = 0; i < 8; i++) { put(0); pull(7); }
		const shrunk = ring.waiting <= 4 * frame;
		const waits = ring.waiting;
		ring.put(new Float32Array(100000), 0);
		return { most, smooth: heard.slice(1).every((x, i) => Math.abs(x - heard[i]) < 0.01), shrunk, whole: ring.waiting === waits };`))
	assert.Equal(t, `{"old":0.25}`, b.result(ring+`
		put(0.5, Infinity);
		pull(1);
		put(0.25, Infinity), put(0.25);
		rest();
		return { old: Math.max(...heard) };`), "a rest too short to be played is not heard after the pause")
}

// microphoneOpensByTheKey plays the states of a microphone without a device.
func microphoneOpensByTheKey(t *testing.T, b *browser) {
	const device = `
		const timers = [];
		globalThis.setTimeout = (f, ms) => timers.push({ f, ms, due: true });
		globalThis.clearTimeout = (n) => { if (timers[n - 1]) timers[n - 1].due = false; };
		const { Microphone } = await import("/microphone.js"), log = [];
		let allow, deny;
		const device = {
			open: () => { log.push("ask"); return new Promise((yes, no) => { allow = yes; deny = no; }); },
			talk: (on) => log.push(on ? "talk" : "hush"), close: () => log.push("close"),
		};
		const m = new Microphone(device, () => log.push(m.state));
		const turn = async () => { for (let i = 0; i < 5; i++) await null; };
		const later = () => { for (const t of timers.splice(0)) if (t.due && t.ms === 10000) t.f(); };`
	assert.Equal(t, `["asking","ask","talk","open","hush","ready","talk","open","hush","ready","close","closed","asking","ask"]`, b.result(device+`
		m.press(), await turn(), allow(), await turn(), m.release(), m.press(), m.release(), later(), m.press(), await turn();
		return log;`), "the browser is asked once while the device is open, and the device closes 10 s after the key")
	assert.Equal(t, `["asking","ask","ready","close","closed"]`, b.result(device+`
		m.press(), await turn(), m.release(), allow(), await turn(), later();
		return log;`), "a key that is up when the player allows it opens nothing")
	assert.Equal(t, `[["asking","ask","close","closed"],"no","closed",["asking","ask"]]`, b.result(device+`
		m.press(), await turn(), deny(new Error("no")), await turn();
		const first = log.splice(0), why = m.why, state = m.state;
		m.release(), m.press(), await turn();
		return [first, why, state, log];`), "a refusal is told, and the next press asks again")
	assert.Equal(t, `["asking","ask","close","closed"]`, b.result(device+`
		m.press(), await turn(), m.end(), allow(), await turn();
		return log;`), "the game has ended while the browser asked")
	assert.Equal(t, `["asking","ask","talk","open","hush","close","closed"]`, b.result(device+`
		m.press(), await turn(), allow(), await turn(), m.end("gone"), await turn();
		return log;`))
	assert.Equal(t, `[]`, b.result(device+`m.release(), m.end(), later(), await turn(); return log;`), "nothing else opens it")
}

// mutesAreKeptByMark: what the player wants of others stays in the browser, for 500 of them.
func mutesAreKeptByMark(t *testing.T, b *browser) {
	assert.Equal(t, `{"fresh":{"volume":1,"mute":false},"kept":{"volume":0.5,"mute":true},"size":500,"oldest":{"volume":1,"mute":false},"newest":true,"none":1}`, b.result(`
		const { People } = await import("/people.js"), people = new People(), fresh = people.of("a1");
		people.change("a1", { mute: true }), people.change("a1", { volume: 0.5 });
		const kept = new People().of("a1");
		for (let i = 0; i < 500; i++) people.change("b" + i, { mute: true });
		const again = new People();
		const size = again.kept.size;
		again.change("b7", { mute: false });
		localStorage.setItem("torc.people", "{broken");
		return { fresh, kept, size, oldest: again.of("a1"), newest: again.of("b499").mute, none: size - again.kept.size + new People().kept.size };`))
}

// oldFramesAreNotSaid: after a page has stood still, only the newest frames are encoded. The others
// count as silence.
func oldFramesAreNotSaid(t *testing.T, b *browser) {
	assert.Equal(t, `{"encoded":[340000,360000,380000],"said":[17,0]}`, b.result(`
		const { Capture } = await import("/capture.js"), said = [], encoded = [], c = new Capture((bytes, silence) => said.push(silence), () => {});
		Object.assign(c, { talks: true, frames: 0, next: 0, ended: performance.now(), context: { currentTime: 0.45 }, encoder: { encode: (data) => encoded.push(data.timestamp) } });
		for (let i = 1; i <= 20; i++) c.encode({ samples: new Float32Array(960), at: i * 0.02 });
		for (const timestamp of [340000, 360000]) c.encoded({ byteLength: 9, timestamp, copyTo: () => {} });
		c.encoded({ byteLength: 161, timestamp: 380000, copyTo: () => {} });
		c.talks = false;
		c.encode({ samples: new Float32Array(960), at: 0.45 });
		return { encoded, said };`))
}

// pageSaysWhyItIsSilent: a player who presses the key reads why nobody hears them, and the browser
// is not asked.
func pageSaysWhyItIsSilent(t *testing.T, b *browser) {
	const voice = `
		const { Voice } = await import("/voice.js"), said = [], v = new Voice({}, {}, { say: (text) => said.push(text), mouse: () => {} });
		let asked = 0;
		if (navigator.mediaDevices) navigator.mediaDevices.getUserMedia = () => { asked++; return Promise.reject(new Error("never")); };
		const press = (rules) => { v.obey({ mode: "all", channels: 7, permit: "may", recorded: false, ...rules }); said.length = 0; v.talk(true, false); v.talk(false); return said.join("|"); };`
	for _, row := range []struct{ before, rules, want string }{
		{``, `{ mode: "off" }`, "There is no voice at this server."},
		{``, `{ permit: "muted", channels: 0 }`, "You cannot talk: the operator has muted you."},
		{``, `{ permit: "role", channels: 0 }`, "You cannot talk: only players with a role talk at this server. Ask the operator."},
		{`delete globalThis.AudioEncoder;`, `{}`, "You can hear, not talk: this browser cannot encode voice. Chromium can."},
		{`delete globalThis.AudioEncoder, delete globalThis.AudioDecoder; Object.defineProperty(navigator, "mediaDevices", { value: undefined });`, `{}`,
			"Here you can neither hear nor talk: browsers allow voice only on pages over HTTPS, and on the machine of the server."},
	} {
		run(b, chromedp.Reload())
		assert.Equal(t, `["`+row.want+`",0]`, b.result(row.before+voice+`return [press(`+row.rules+`), asked];`))
	}
	run(b, chromedp.Reload())
	assert.Equal(t, `["This server records what players say."]`, b.result(voice+`
		for (let i = 0; i < 3; i++) v.obey({ mode: "all", channels: 7, permit: "may", recorded: true });
		return said;`), "once")
	assert.Equal(t, `[[2,2,1],[0,0,0],[3,3,1]]`, b.result(voice+`
		const { settings } = await import("/settings.js"), all = [];
		for (const [channel, channels] of [[2, 7], [2, 1], [3, 15]]) {
			settings.channel = channel;
			press({ channels });
			const key = v.channel;
			v.talk(true, false);
			const before = v.channel;
			v.talk(true, true);
			all.push([key, before, v.channel]);
		}
		v.microphone.end();
		return all;`), "the chosen channel if it is open, else the first; the other key is the radio")
}

// talkersPage makes talkers beside a fake view, and counts what reaches decoders.
const talkersPage = `
	const { Talkers } = await import("/talkers.js"), { People } = await import("/people.js");
	localStorage.clear();
	let decoded = 0;
	const decode = AudioDecoder.prototype.decode;
	AudioDecoder.prototype.decode = function (chunk) { decoded++; return decode.call(this, chunk); };
	const camera = { position: { x: 0, y: 0, z: 1.8 }, matrixWorld: { elements: [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1] } };
	const things = { known: new Map([[7, { x: 3, y: 4, z: 0 }]]), boxes: [] }, people = new People();
	const talkers = await Talkers.load(people, { camera, things }), opus = () => new Uint8Array([0x48, 1, 2, 3]);
	const who = (number) => ({ number, client: number, name: "Ann " + number, mark: "m" + number, object: 7 });`

// decodersAreSafe: a server that sends more than players can say keeps no decoder busy, and bytes
// that are no Opus end nothing. Every decoded frame finds its number.
func decodersAreSafe(t *testing.T, b *browser) {
	assert.Equal(t, `{"burst":10,"second":62,"decoders":8,"refused":true,"later":8,"mute":0,"deaf":0,"left":0}`, b.result(talkersPage+`
		for (let i = 0; i < 1000; i++) talkers.hear(who(1), 0, i & 255, opus(), 1000);
		const burst = decoded;
		for (let i = 0; i < 1000; i++) talkers.hear(who(1), 0, (i + 10) & 255, opus(), 1001 + i);
		const second = decoded;
		for (let i = 0; i < 1000; i++) talkers.hear(who(i), 0, 1, opus(), 2001);
		const decoders = talkers.all.size, refused = talkers.refused > 1900;
		for (let i = 2000; i < 2100; i++) talkers.hear(who(i), 0, 1, opus(), 2500);
		const later = talkers.all.size;
		people.change("m2000", { mute: true }), decoded = 0;
		for (let i = 2; i < 9; i++) talkers.hear(who(2000), 0, i, opus(), 2500 + 20 * i);
		const mute = decoded;
		talkers.deafen(true), talkers.hear(who(2001), 0, 2, opus(), 2600);
		const deaf = decoded;
		talkers.update(9000);
		return { burst, second, decoders, refused, later, mute, deaf, left: talkers.all.size };`))
	run(b, chromedp.Reload())
	assert.Equal(t, `[true,0,0]`, b.result(talkersPage+`
		const sane = [];
		const c = new AudioEncoder({ output: (chunk) => { const b = new Uint8Array(chunk.byteLength); chunk.copyTo(b); sane.push(b); }, error: () => {} });
		c.configure({ codec: "opus", sampleRate: 48000, numberOfChannels: 1, bitrate: 24000 });
		for (let i = 0; i < 30; i++) {
			const data = Float32Array.from({ length: 960 }, (_, k) => Math.sin((i * 960 + k) / 20) / 2);
			c.encode(new AudioData({ format: "f32", sampleRate: 48000, numberOfFrames: 960, numberOfChannels: 1, timestamp: i * 20000, data }));
		}
		await c.flush();
		const wait = () => new Promise((next) => setTimeout(next, 5));
		talkers.hear(who(1), 0, 0, new Uint8Array([0x4b, 255, 255]), 0);
		for (let i = 0; i < 20 && talkers.all.get(1).decoder; i++) await wait();
		for (let i = 0; i < sane.length; i++) {
			talkers.hear(who(1), 0, 1 + i, sane[i], 20 + 20 * i);
			await wait();
		}
		const t = talkers.all.get(1);
		await t.decoder.flush();
		for (let i = 0; i < 400 && t.heardNumber !== sane.length; i++) await wait();
		return [t.level > 0.1, t.heardNumber - sane.length, t.times.size];`), "the voice goes on after a frame that is none")
}

// voicesComeFromTheirPlayers checks where a voice is heard, and its filter.
func voicesComeFromTheirPlayers(t *testing.T, b *browser) {
	assert.Equal(t, `{"near":["plain",3,0,-4],"behind":["damp",3,0,-4],"team":["radio",0,0,0],"unseen":["plain",0,0,0],"quiet":0}`, b.result(talkersPage+`
		const set = {};
		const watch = (t) => { for (const axis of ["positionX", "positionY", "positionZ"]) t.panner[axis].setTargetAtTime = (v) => { set[axis] = v; }; t.volume.gain.setTargetAtTime = (v) => { set.gain = v; }; };
		const look = (channel, object = 7) => {
			talkers.hear({ ...who(1), object }, channel, 0, opus(), 0);
			const t = talkers.all.get(1);
			watch(t);
			talkers.place(t);
			return [t.sound, set.positionX, set.positionY + 0, set.positionZ + 0];
		};
		const near = look(0);
		things.boxes.push({ x: 1.5, y: 2, z: 0, sx: 1, sy: 1, sz: 3 });
		const behind = look(0), team = look(1), unseen = look(0, 9);
		people.change("m1", { mute: true });
		talkers.place(talkers.all.get(1));
		return { near, behind, team, unseen, quiet: set.gain };`))
}
