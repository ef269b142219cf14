package engine

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// Admission says which players a server lets join, and the name that it tells them. A change
// applies to later joins.
type Admission struct {
	Name       string
	Password   string // at most 255 bytes; "" is none
	MaxClients int    // the highest number of connected clients, with bots
	Accepting  bool   // if false, nobody joins, except players who replace their own connection
}

// checkPassword returns why a request is refused for its password, or "".
func (q *joinRequests) checkPassword(r *netcore.ConnectRequest) (refuse string) {
	h := q.host
	if h.Admission.Password == "" {
		return ""
	}
	right := seal.Equal(r.Password, h.Admission.Password)
	if wait := q.guesses.wait(h.now, r.From, r.Key); wait > 0 {
		return fmt.Sprintf("too many wrong passwords from your address"+tryAgain+" in %v", (wait + time.Second - 1).Truncate(time.Second))
	}
	if right {
		if q.guesses.passed(r.Key) && h.cfg.Passed != nil {
			h.cfg.Passed(r.Key)
		}
		return ""
	}
	if r.Password == "" {
		return "this server needs a password: --password"
	}
	if pause := q.guesses.failed(h.now, r.From); pause > 0 && q.guesses.lines.allow("password guesses", h.Now()) {
		at := addressOf(r.From)
		h.cfg.Log.Warn("too many wrong passwords", "address", at, "key", r.Key.String(), "name", r.Name, "pause", pause.String())
		if h.cfg.Guessed != nil {
			h.cfg.Guessed(at, pause)
		}
	}
	return "wrong password"
}
