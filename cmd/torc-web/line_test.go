//go:build !js

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/node"
)

// TestLines: a page joins over WebRTC. It uses a WebSocket if it is asked to, if the server has no
// WebRTC, or if the UDP port cannot be reached, and plays on when the line breaks.
func TestLines(t *testing.T) {
	b := openBrowser(t, 800, 600)
	_, url, key := newGame(t, "0")
	b.join(url, key, "Ann")
	b.until(`torc.hud.line.kind === "rtc" && document.getElementById("ping").textContent.startsWith("rtc")`)
	eval[bool](b, `torc.hud.line.channel.close(), true`)
	b.until(`torc.hud.line.kind === "rtc"`)
	tick := eval[float64](b, `torc.program.number("tick")`)
	b.until(`torc.program.number("tick") > ` + number(tick+64))
	assert.Empty(t, eval[string](b, `torc.program.calls.wrong()`))

	eval[bool](b, `RTCPeerConnection.prototype.setRemoteDescription = () => {}, torc.hud.line.channel.close(), true`)
	b.until(`torc.hud.line.kind === "ws"`)

	b.join(url+"/?line=ws", key, "Ann")
	b.until(`torc.hud.line.kind === "ws"`)

	_, url, key = newGameWith(t, "0", func(w *node.Web) { w.NoRTC = true })
	b.join(url, key, "Ann")
	b.until(`torc.hud.line.kind === "ws"`)
	assert.Empty(t, b.complaints())
}

// TestAPageJoinsWithoutFrames: the join goes on in a browser that draws nothing, for example in the
// background.
func TestAPageJoinsWithoutFrames(t *testing.T) {
	b := openBrowser(t, 640, 480)
	_, url, key := newGame(t, "0")
	b.beforePages(`globalThis.requestAnimationFrame = () => 0`)
	b.join(url, key, "Ann")
	tick := eval[float64](b, `torc.program.number("tick")`)
	b.until(`torc.program.number("tick") > ` + number(tick+32))
	assert.Zero(t, eval[int](b, `torc.view.things.frame`))
	assert.Empty(t, b.complaints())
}
