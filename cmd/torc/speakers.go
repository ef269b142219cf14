package main

import (
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node"
)

const (
	speakPause  = 5 * time.Second // of a talker, before it is named again
	speakEvery  = time.Second     // the least time between two names
	mostSpeaker = 1024            // talkers that are kept
)

// speakers says who speaks. A terminal plays no sound.
type speakers struct {
	now      func() time.Duration
	print    func(string)
	last     map[uint16]time.Duration // the newest frame, by talker
	said     time.Duration            // when a talker was named
	recorded bool                     // the player knows of it
}

// newSpeakers returns what a session says of those who speak.
func newSpeakers(p *session) *speakers {
	return &speakers{now: func() time.Duration { return p.node.Now() }, print: p.print, last: map[uint16]time.Duration{}}
}

// saysWhoSpeaks gives a client's config the hooks for voice.
func (p *session) saysWhoSpeaks(c *node.ClientConfig) {
	s := newSpeakers(p)
	c.VoiceIn, c.VoiceRules = s.hear, s.rules
}

// hear names a talker who begins to speak.
func (s *speakers) hear(f engine.VoiceFrame) {
	now := s.now()
	was, known := s.last[f.Talker.Number]
	if len(s.last) >= mostSpeaker && !known {
		clear(s.last)
	}
	s.last[f.Talker.Number] = now
	if known && now-was < speakPause || s.said > 0 && now-s.said < speakEvery {
		return
	}
	s.said = now
	s.print(console.Clean(f.Talker.Name) + " speaks (on " + f.Channel.String() + ")")
}

// rules says once that the server records voices.
func (s *speakers) rules(r engine.VoiceRules) {
	if r.Recorded && !s.recorded {
		s.print("this server records what players say")
	}
	s.recorded = r.Recorded
}
