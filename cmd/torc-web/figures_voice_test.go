//go:build !js

package main

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// The lines of TestFiguresOfVoice, and the requirements on a quiet machine.
const (
	voiceLoss   = 0.05
	voiceJitter = 40 * time.Millisecond
	voiceTime   = 20 * time.Second
	voiceShare  = 0.95 // of the frames
	voiceMiddle = 150. // milliseconds from the mouth to the buffer of the ear
	voiceWorst  = 300. // of 99%
)

// noteSaid notes the number and the time of each frame that the page says.
const noteSaid = `(() => {
	const { calls } = torc.program, { say } = calls;
	let n = 0;
	globalThis.said = [];
	calls.say = (channel, range, silence, bytes) => {
		n = (n + 1 + silence) & 255;
		said.push([n, performance.timeOrigin + performance.now()]);
		return say(channel, range, silence, bytes);
	};
	return true;
})()`

// noteHeard notes the number and the time of each frame that is in the ring of a talker.
const noteHeard = `(() => {
	const { talkers } = torc.voice, { told } = talkers;
	globalThis.heard = [];
	talkers.told = function (t, of) {
		heard.push([of.number, performance.timeOrigin + performance.now()]);
		return told.call(this, t, of);
	};
	return true;
})()`

// notes returns what a page has noted, in the order of the times.
func notes(b *browser, name string) (all [][2]float64) {
	b.t.Helper()
	require.NoError(b.t, json.Unmarshal([]byte(eval[string](b, `JSON.stringify(`+name+`)`)), &all))
	return all
}

// delays returns the milliseconds from the beginning of each frame to the ring that has it; below
// 0: it never came. Frames before the first heard one do not count, and those of the last second.
func delays(said, heard [][2]float64) (all []float64) {
	for _, s := range said {
		if s[1] < heard[0][1]-100 || s[1] > said[len(said)-1][1]-1000 {
			continue
		}
		i := slices.IndexFunc(heard, func(h [2]float64) bool { return h[0] == s[0] && h[1] > s[1]-20 && h[1] < s[1]+2500 })
		if i < 0 {
			all = append(all, -1)
			continue
		}
		all = append(all, heard[i][1]-s[1]+20)
	}
	return all
}

// TestFiguresOfVoice has a talker, a listener of the team and one of the other team. Both hops lose
// 5% of the datagrams, and delay them by up to 40 ms. The browsers draw nothing meanwhile: without
// a GPU, a picture takes as long as many frames of voice. With TORC_QUIET=1 nothing else runs on
// the machine: then the figures have limits, too. One stall of 200 ms is the hundredth part of the
// frames.
func TestFiguresOfVoice(t *testing.T) {
	figures(t)
	for _, line := range []string{"rtc", "ws"} {
		t.Run(line, func(t *testing.T) {
			s, url, key := newVoiceGame(t, "team", node.Web{})
			all := []*browser{openSpeaker(t), openSpeaker(t), openSpeaker(t)}
			for i, name := range []string{"Ann", "Bob", "Eve"} {
				all[i].join(url+"/?line="+line, key, name)
				all[i].until(`torc.view.ground > 0 && torc.voice.rules.channels === 3 && torc.hud.line.kind === "` + line + `" && torc.program.number("team") > 0`)
			}
			team := func(b *browser) int { return eval[int](b, `torc.program.number("team")`) }
			ann, bob, eve := all[0], all[1], all[2]
			if team(ann) != team(bob) {
				bob, eve = eve, bob
			}
			require.Equal(t, team(ann), team(bob))
			require.NotEqual(t, team(ann), team(eve))
			require.NoError(t, s.Do(func() {
				for _, c := range s.Host().Connections() {
					c.Line.SetLink(netcore.LinkParams{Loss: voiceLoss, Jitter: voiceJitter})
				}
			}))
			eval[bool](eve, `globalThis.overheard = 0, torc.voice.hear = () => { overheard++; }, true`)
			for _, b := range all {
				eval[bool](b, `torc.view.draw = () => {}, true`)
			}
			eval[bool](ann, noteSaid)
			ann.press("KeyN", true)
			bob.until(`torc.voice.talkers?.all.size === 1`)
			eval[bool](bob, noteHeard)
			_, err := chromedp.Run(ann.ctx, chromedp.Evaluate[bool](`new Promise((done) => setTimeout(() => done(true), `+number(float64(voiceTime.Milliseconds()))+`))`, chromedp.EvalAwaitPromise))
			require.NoError(t, err)
			ann.press("KeyN", false)
			found := delays(notes(ann, "said"), notes(bob, "heard"))
			came := slices.DeleteFunc(slices.Clone(found), func(ms float64) bool { return ms < 0 })
			slices.Sort(came)
			require.NotEmpty(t, came)
			share, middle, worst := float64(len(came))/float64(len(found)), came[len(came)/2], came[len(came)*99/100]
			t.Logf("%s: %d frames, %.1f %% heard, %.0f ms, 99 %% within %.0f ms", line, len(found), 100*share, middle, worst)
			if os.Getenv("TORC_QUIET") != "" {
				assert.GreaterOrEqual(t, share, voiceShare)
				assert.LessOrEqual(t, middle, voiceMiddle)
				assert.LessOrEqual(t, worst, voiceWorst)
			}
			assert.Zero(t, eval[int](eve, `overheard`), "the other team")
			eval[bool](eve, `globalThis.told = [], torc.page.print = (text) => told.push(text), torc.program.calls.line("voice"), true`)
			eve.until(`told.length > 0`)
			assert.Equal(t, "nobody has talked lately", eval[string](eve, `told[0]`), "what came over the wire, behind the decryption")
			require.NoError(t, s.Do(func() {
				f := s.Host().Voices.Figures()
				t.Logf("%s: %d frames said, %d heard, server: %+v", line, len(notes(ann, "said")), len(notes(bob, "heard")), f)
				assert.LessOrEqual(t, f.Sent, f.Received, "one listener")
			}))
		})
	}
}

// TestDelays: frames are found by their numbers, which go round, and lost ones count.
func TestDelays(t *testing.T) {
	said := [][2]float64{{254, 0}, {255, 1000}, {0, 1020}, {1, 1040}, {254, 6100}, {255, 9000}}
	heard := [][2]float64{{255, 1050}, {1, 1100}, {254, 6150}}
	assert.Equal(t, []float64{70, -1, 80, 70}, delays(said, heard))
}
