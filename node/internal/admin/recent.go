package admin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/seal"
)

// maxLeft is the number of remembered players.
const maxLeft = 64

// A formerPlayer has left.
type formerPlayer struct {
	id            sim.ID
	key           seal.Key
	name, address string
	at            time.Time
}

// note remembers a player that leaves. Each key is in the list once.
func (a *Admin) note(c *engine.Connection) {
	if !c.Bot() {
		a.remember(formerPlayer{c.ID(), c.Key(), c.PlayerName, c.Address(), a.Now()})
	}
}

// remember adds a player to the list. Above maxLeft it forgets the one who left first.
func (a *Admin) remember(p formerPlayer) {
	a.left = slices.DeleteFunc(a.left, func(d formerPlayer) bool { return d.key == p.key })
	if len(a.left) >= maxLeft {
		a.left = slices.Delete(a.left, 0, 1)
	}
	a.left = append(a.left, p)
}

// gone returns the remembered player that matches, and whether several do.
func (a *Admin) gone(match func(formerPlayer) bool) (found *formerPlayer, many bool) {
	for i := range a.left {
		if match(a.left[i]) {
			many = found != nil
			if found = &a.left[i]; many {
				break
			}
		}
	}
	return found, many
}

// recent lists the remembered players, newest first: ID NAME ADDRESS AGO KEY.
func (a *Admin) recent([]string) (string, error) {
	var lines []string
	for _, d := range slices.Backward(a.left) {
		ago := a.Now().Sub(d.at).Round(time.Second)
		lines = append(lines, fmt.Sprintf("%d %s %s %s %s", d.id, shown(d.name), d.address, ago, d.key))
	}
	return strings.Join(lines, "\n"), nil
}
