package script_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAHundredModsTakeLittleMemory checks that 100 idle mods with one or two handlers each share
// memory where possible.
func TestAHundredModsTakeLittleMemory(t *testing.T) {
	const mods = 100
	folder, names := map[string]string{}, []string(nil)
	for i := range mods {
		name := fmt.Sprint("mod", i)
		names = append(names, name)
		folder[name+"/server/init.lua"] = `n = 0 function onTick() n = n + 1 end function GameConnection.onConnect(c) echo(c.name) end`
	}
	live := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	h := newHalfOf(t, 1, true, probes, files(folder))
	before := live()
	h.load(names...)
	require.Greater(t, len(h.scripts.Runtime.Mods), mods)
	each := (live() - before) / mods
	t.Logf("%d KiB each", each>>10)
	assert.Less(t, each, uint64(10<<20/mods))
	runtime.KeepAlive(h)
}
