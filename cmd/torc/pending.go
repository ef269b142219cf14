package main

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// pending is the client for browsers that is being built, which takes a minute in a source tree. In
// a release, or when the cache has it, it takes no time that a person could notice.
type pending struct {
	building bool
	began    netcore.Time
	seconds  int // that the prompt shows
}

// noticed is when a person is told that the client is being built.
const noticed = time.Second

// tellPage hears what becomes of the client for browsers, and shows the link when there is one. The
// view shows it as a box: its messages are those of the game.
func (t *terminal) tellPage(state node.PageState, link string) {
	t.page = pending{building: state == node.PagePending, began: t.node.Now()}
	switch {
	case state == node.PageReady && t.view == nil:
		t.node.Print("play in a browser: " + link)
	case state == node.PageReady:
		t.display.prompt("play in a browser: " + link)
		t.view.Notice("Play in a browser:\n" + link)
	}
	t.term.SetPrompt(t.prompt())
}

// countPage lets the prompt count how long the client is being built.
func (t *terminal) countPage() {
	took := t.node.Now() - t.page.began
	if !t.page.building || took < noticed || int(took/time.Second) == t.page.seconds {
		return
	}
	if t.page.seconds == 0 {
		t.display.prompt("building the client for browsers, once for this version; the link follows")
	}
	t.page.seconds = int(took / time.Second)
	t.term.SetPrompt(t.prompt())
}

// String is what the prompt says of the client: "" unless it is being built. It is short, because a
// prompt is.
func (p pending) String() string {
	switch {
	case p.seconds == 0:
		return ""
	case p.seconds < 100:
		return fmt.Sprintf("[page %ds] ", p.seconds)
	}
	return fmt.Sprintf("[page %dm] ", p.seconds/60)
}
