package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/sim"
)

// TestOnVoiceNamesTheAudience checks the answers that a mod can give, and that the first one
// counts.
func TestOnVoiceNamesTheAudience(t *testing.T) {
	p := join(t, map[string]string{
		"a/server/init.lua": `function GameConnection.onVoice(client, channel)
			if channel == "all" then return { client, 12, 13 } end
			return channel == "mod" and {} or nil
		end`,
		"b/server/init.lua": `function GameConnection.onVoice(client, channel) return { 7 } end`,
	}, nil, "a", "b")
	c := p.server.host.Connections()[0]
	ask := func(channel string) []sim.ID { return p.server.scripts.Hooks().VoiceAudience(c, channel) }
	assert.Equal(t, []sim.ID{c.ID(), 12, 13}, ask("all"))
	assert.Empty(t, ask("mod"))
	assert.Equal(t, []sim.ID{7}, ask("team"), "nil leaves it to the next mod")
	none := join(t, nil, nil)
	assert.Empty(t, none.server.scripts.Hooks().VoiceAudience(none.server.host.Connections()[0], "all"))
}

// TestWrongAnswersOfOnVoiceAreFaults checks that nobody hears the talker then.
func TestWrongAnswersOfOnVoiceAreFaults(t *testing.T) {
	for code, says := range map[string]string{
		`return 5`:              "GameConnection.onVoice must return a list of clients or nil, not a number",
		`return { "Ann" }`:      "GameConnection.onVoice must return a list of clients: element 1 is a string",
		`return { 1, -1 }`:      "GameConnection.onVoice must return a list of clients: element 2 is a number",
		`return { client, {} }`: "GameConnection.onVoice must return a list of clients: element 2 is a table",
		`return nil + 1`:        "arithmetic",
	} {
		p := join(t, map[string]string{"a/server/init.lua": "function GameConnection.onVoice(client)\n" + code + "\nend"}, nil, "a")
		assert.Empty(t, p.server.scripts.Hooks().VoiceAudience(p.server.host.Connections()[0], "all"), code)
		assert.Equal(t, 1, p.server.scripts.Runtime.Mod("a").Faults(), code)
		assert.Contains(t, strings.Join(p.server.log, "\n"), says, code)
	}
}
