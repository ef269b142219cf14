package fleet

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// TestServersTellAtMostTwoMiB: invented servers whose mods tell as much as they can take nothing
// from those that tell little, and fill no journal.
func TestServersTellAtMostTwoMiB(t *testing.T) {
	p := &presence{warned: map[string]bool{}, service: &Service{core: &core.Core{Owner: &core.Owner{Log: slog.New(slog.DiscardHandler)}}}}
	var list []bus.Server
	for i := range 200 {
		s := bus.Server{Name: fmt.Sprint("evil-", i), Own: map[string][]byte{}}
		for m := range maxMods {
			s.Own[fmt.Sprint("m", m)] = make([]byte, bus.MaxOwn)
		}
		list = append(list, s)
	}
	list = append(list, bus.Server{Name: "honest", Own: map[string][]byte{"m1": make([]byte, bus.MaxOwn)}})
	few := list[190:]
	p.bound(few)
	assert.Len(t, few[0].Own, maxMods, "a few can tell that much")
	p.bound(list)
	all := 0
	for i := range list {
		all += ownBytes(&list[i])
	}
	assert.LessOrEqual(t, all, maxOwn)
	assert.Len(t, list[200].Own, 1)
}
