package engine

import (
	"strings"

	"github.com/torc-engine/torc/netcore"
)

// The texts of a server that refuses a join. A refusal crosses the line as a text for people and
// has no code: mods refuse with texts of their own, and clients of every version show them.
const (
	// ClosedText refuses a join while a server accepts no new players.
	ClosedText = "the server accepts no new players"

	// DrainText refuses a join while a server drains, and ends its bots.
	DrainText = "the server drains: it takes nobody in before it ends"

	fullText   = "server is full" // with the number of places behind it
	pausedText = "the server is paused" + tryAgain
	endedText  = "the server has ended the request"
	tryAgain   = ": try again" // in each refusal that holds for a while only, also in those of netcore
)

// RefusedForNow reports whether a refused client can soon be let in: the server is full, or the
// refusal says that it can try again.
func RefusedForNow(r netcore.Reason) bool {
	return r.Code == netcore.Refused && (strings.HasPrefix(r.Text, fullText) || strings.Contains(r.Text, tryAgain))
}
