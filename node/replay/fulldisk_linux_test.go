package replay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestCopyOnAFullDisk: the disk of a server is full, so fleet.db stays behind. The server says so
// once, the game goes on, and the fleet has all values. When there is room, the copy has all of
// them again.
func TestCopyOnAFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a small disk needs root")
	}
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted: %s", out)
	}
	t.Cleanup(func() { assert.NoError(t, exec.Command("umount", disk).Run()) })
	folders := [2]string{disk, t.TempDir()}
	x := sharing(t, folders)
	x.run(time.Second)
	x.in(0, `shared:put("first", 1)`)
	x.run(6 * time.Second)
	ballast := filepath.Join(disk, "ballast")
	_ = os.WriteFile(ballast, make([]byte, 4<<20), 0o600) // as much as there is room
	says := func() int { return strings.Count(x.logs[0].String(), "the copy of what the fleet keeps is behind") }
	for limit := testenv.Limit(t); says() == 0; {
		require.False(t, testenv.Expired(limit), x.logs[0].String())
		x.in(0, `for i = 1, 4 do shared:put("large" .. i, ("x"):rep(100000)) end`)
		x.run(6 * time.Second)
	}
	x.in(0, `shared:put("last", 2, note "put")`)
	x.run(30 * time.Second)
	assert.Contains(t, x.heard(0, 0), "put true")
	assert.Equal(t, "2", x.in(1, `return shared:get("last")`))
	assert.Equal(t, 1, says(), "once, although it was tried again")

	require.NoError(t, os.Remove(ballast))
	for range 20 {
		x.run(time.Second)
		testenv.Pause() // the disk has a time of its own
	}
	x = next(t, x, folders, false)
	x.run(time.Second)
	assert.Equal(t, "2", x.in(0, `return shared:get("last")`), "without the fleet")
	for i := range x.servers {
		assert.NoError(t, x.servers[i].Close())
		x.dead[i] = true
	}
}
