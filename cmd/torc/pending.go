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
// view shows it as a box: its messages are those of the game. native is the form of the link for
// programs; "" is none.
func (t *terminal) tellPage(state node.PageState, link, native string) {
	t.page = pending{building: state == node.PagePending, began: t.node.Now()}
	if state == node.PageReady {
		t.tellLink(link, native)
	}
	t.term.SetPrompt(t.prompt())
}

// tellLink shows the link, and its form for programs.
func (t *terminal) tellLink(link, native string) {
	say, box := t.node.Print, "Play in a browser:\n"+link
	if t.view != nil {
		say = t.display.prompt
	}
	say("play in a browser: " + link)
	if native != "" {
		say("play in a terminal: torc join " + native)
		box += "\nPlay in a terminal:\ntorc join " + native
	}
	if t.view != nil {
		t.view.Notice(box)
	}
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
