package play

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
)

// mostSaid is how many frames of voice wait for the next tick. A page that stands still for longer
// loses the oldest.
const mostSaid = 10

// A mouth has what the player says until the next tick sends it.
type mouth struct {
	said  []engine.Speech
	taken []engine.Speech // of the last tick
}

// add adds a frame. If too many wait, the oldest one counts as silence before the next.
func (m *mouth) add(s engine.Speech) {
	if len(m.said) == mostSaid {
		m.said[1].Skipped += m.said[0].Skipped + 1
		m.said = append(m.said[:0], m.said[1:]...)
	}
	m.said = append(m.said, s)
}

// take returns the frames since the last call.
func (m *mouth) take() []engine.Speech {
	m.said, m.taken = m.taken[:0], m.said
	return m.taken
}

// Voice returns what the server lets this client say: nothing without a connection.
func (c *Client) Voice() (r engine.VoiceRules) {
	if server := c.node.Host().Server(); server != nil {
		r = server.Voice().Rules()
	}
	return r
}

// Say sends a frame of the player's voice with the next tick: one Opus frame of 20 ms, which is
// copied. silence is the number of frames before it that were silent. A frame that the server does
// not want, or that is none, is dropped.
func (c *Client) Say(channel, reach, silence int, data []byte) {
	to := voice.Channel(channel)
	if channel < 0 || channel >= int(voice.Channels) || len(data) == 0 || len(data) > voice.MaxFrame || !c.Voice().MayTalk(to) {
		return
	}
	c.mouth.add(engine.Speech{Channel: to, Range: voice.Range(min(max(reach, 0), int(voice.Ranges)-1)), Data: append([]byte(nil), data...), Skipped: max(silence, 0)})
}
