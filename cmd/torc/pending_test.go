package main

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/tui"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// promptLog is a terminal that notes its prompts and its output.
type promptLog struct {
	prompt.Source
	prompts, lines []string
}

func (p *promptLog) SetPrompt(text string)      { p.prompts = append(p.prompts, text) }
func (p *promptLog) Print(line string)          { p.lines = append(p.lines, line) }
func (p *promptLog) Lines() <-chan prompt.Input { return nil }

// stoppedNode is a node whose time a test sets.
type stoppedNode struct {
	runner
	now     netcore.Time
	printed []string
}

func (n *stoppedNode) Now() netcore.Time { return n.now }
func (n *stoppedNode) Print(text string) { n.printed = append(n.printed, text) }

// TestPromptCountsTheBuild: while the client for browsers is built, the prompt counts. A build that
// takes less than a second is not mentioned. The link goes to the view as a box, if there is one.
func TestPromptCountsTheBuild(t *testing.T) {
	log, n := &promptLog{}, &stoppedNode{now: time.Hour}
	p := &terminal{node: n}
	p.attach(log)
	lines := console.New(func(string) {})
	p.typing = namedConsole{"server", func() *console.Console { return lines }}
	at := func(times ...time.Duration) []string {
		log.prompts = nil
		for _, after := range times {
			n.now = time.Hour + after
			p.countPage()
		}
		return log.prompts
	}
	assert.Empty(t, at(0, time.Second), "nothing is built")

	p.tellPage(node.PagePending, "", "")
	assert.Empty(t, at(900*time.Millisecond))
	p.tellPage(node.PageReady, "http://x/#k", "x:5#k")
	assert.Equal(t, []string{"play in a browser: http://x/#k", "play in a terminal: torc join x:5#k"}, n.printed)
	assert.Empty(t, log.lines, "it was fast")

	n.now = time.Hour
	p.tellPage(node.PagePending, "", "")
	assert.Equal(t, []string{"[page 1s] torc> ", "[page 2s] torc> ", "[page 99s] torc> ", "[page 1m] torc> "},
		at(time.Second, 1500*time.Millisecond, 2*time.Second, 99*time.Second, 110*time.Second))
	assert.Equal(t, []string{"building the client for browsers, once for this version; the link follows"}, log.lines)
	p.tellPage(node.PageMissing, "", "")
	assert.Equal(t, "torc> ", log.prompts[len(log.prompts)-1])
	assert.Empty(t, at(2*time.Minute, 3*time.Minute))
	assert.Len(t, n.printed, 2, "the log says why there is none")

	classes := sim.NewClasses()
	require.NoError(t, engine.Register(classes))
	host := engine.NewHost(engine.Config{Classes: classes, Entropy: rand.Reader})
	p.view = tui.New(func() *engine.Host { return host }, nil)
	p.tellPage(node.PageReady, "http://x/#k", "x:5#k")
	assert.Len(t, n.printed, 2, "the messages of the view are those of the game")
	assert.Equal(t, []string{"play in a browser: http://x/#k", "play in a terminal: torc join x:5#k"}, log.lines[len(log.lines)-2:])
	p.tellPage(node.PageReady, "http://x/#k", "")
	assert.Equal(t, "play in a browser: http://x/#k", log.lines[len(log.lines)-1], "no program can join")
}
