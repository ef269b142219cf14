package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
)

// TestTerminalSaysWhoSpeaks checks that a talker is named once until a pause, that many talkers are
// no flood of lines, and that the name cannot control the terminal.
func TestTerminalSaysWhoSpeaks(t *testing.T) {
	now := time.Hour
	var lines []string
	s := &speakers{now: func() time.Duration { return now }, print: func(l string) { lines = append(lines, l) }, last: map[uint16]time.Duration{}}
	hear := func(number uint16, name string) {
		s.hear(engine.VoiceFrame{Talker: engine.Talker{Number: number, Name: name}, Channel: voice.Team})
	}
	for range 500 {
		hear(1, "Ann\x1b[2J")
		now += 20 * time.Millisecond
	}
	assert.Equal(t, []string{`Ann\x1b[2J speaks (on team)`}, lines)
	now += speakPause
	hear(1, "Ann")
	hear(2, "Bob")
	assert.Equal(t, []string{"Ann speaks (on team)"}, lines[1:])
	now += speakPause
	hear(2, "Bob")
	assert.Equal(t, "Bob speaks (on team)", lines[2])
	for i := range 3 * mostSpeaker {
		hear(uint16(i), "one of many")
	}
	assert.Len(t, lines, 3)
	assert.LessOrEqual(t, len(s.last), mostSpeaker)
	for _, on := range []bool{false, true, true, false, true} {
		s.rules(engine.VoiceRules{Mode: voice.Public, Recorded: on})
	}
	assert.Equal(t, []string{"this server records what players say", "this server records what players say"}, lines[3:])
}
