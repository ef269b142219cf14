package script

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// TestCopiedLargeStringsAreNoted checks that a mod that receives a large string from another mod is
// checked by the clock as often as a mod that made one.
func TestCopiedLargeStringsAreNoted(t *testing.T) {
	reads := 0
	h := vm.New(vm.Config{Side: vm.Server, Clock: func() time.Duration { reads++; return 0 }})
	readsOfLoop := func(m *vm.Mod) int {
		reads = 0
		fn, err := m.Compile("m", "for i = 1, 1000 do end", false)
		require.NoError(t, err)
		_, err = h.EnterWith(h.Limits().Line, m, fn)
		require.NoError(t, err)
		return reads
	}
	large := lua.LString(strings.Repeat("x", 64<<10+1))
	from, to, tabled := h.NewMod("from", nil), h.NewMod("to", nil), h.NewMod("tabled", nil)
	assert.Less(t, readsOfLoop(to), 40)
	from.State.Lua().Push(large)
	require.NoError(t, pushCopies(bind.New(&bind.Env{}, from, nil), bind.New(&bind.Env{}, to, nil), from.State.Lua(), to.State.Lua(), 1))
	assert.Greater(t, readsOfLoop(to), 120, "from another mod")
	assert.Less(t, readsOfLoop(tabled), 40)
	_, err := bind.Copy(bind.New(&bind.Env{}, tabled, nil), large)
	require.NoError(t, err)
	assert.Greater(t, readsOfLoop(tabled), 120, "in a table")
}
