package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore"
)

// TestJoinsOverSmallPaths joins over paths that drop large datagrams. Datablocks and ghosts arrive.
func TestJoinsOverSmallPaths(t *testing.T) {
	for _, most := range []int{1000, 548} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			o := lag(50, 0)
			o.Up.MTU, o.Down.MTU = most, most
			r := enginetest.New(t, o)
			declare(t, r.Server.Host, 200, 20_000)
			r.Join()
			r.Run(2 * time.Second)
			assert.Less(t, r.Net.Now(), netcore.Time(15*time.Second))
		})
	}
}
