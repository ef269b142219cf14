package nodetest

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestNoGoroutineStays runs a plan with all ways in which programs end. Afterwards there are no
// more goroutines than before.
func TestNoGoroutineStays(t *testing.T) {
	p, err := ParsePlan("seed 5\n0s players 0 2\n2s reload 0\n3s crash 0\n5s restart 0\n7s kill 1\n8s leave 2\n9s calm 0\n")
	require.NoError(t, err)
	before := runtime.NumGoroutine()
	require.Nil(t, Run(p, t.TempDir()).Failure)
	for limit := testenv.Limit(t); runtime.NumGoroutine() > before; testenv.Pause() {
		if testenv.Expired(limit) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, and %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}
