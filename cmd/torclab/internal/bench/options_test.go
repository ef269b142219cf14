package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// parsed reads a command line behind torclab bench.
func parsed(t *testing.T, line string) (o Options, w Workload) {
	t.Helper()
	set := flags.New("torclab bench")
	o.Declare(set)
	words, err := set.Parse(strings.Fields(line))
	require.NoError(t, err)
	w, words, err = o.Take(words)
	require.NoError(t, err)
	require.Empty(t, words)
	return o, w
}

func TestOptions(t *testing.T) {
	o, w := parsed(t, "replicate --json --seconds 0.5 --clients 16,64 --objects 1000 --active 10 --whole")
	assert.Equal(t, "replicate", w.Name)
	assert.True(t, o.JSON)
	assert.Equal(t, 500*time.Millisecond, o.Row)
	assert.Equal(t, Load{Clients: []int{16, 64}, Objects: []int{1000}, Active: 10, Whole: true}, o.Load)

	o, _ = parsed(t, "replicate --objects 1000,65536 --scope 1000 --unlimited --distance --cpuprofile f")
	assert.Equal(t, Load{
		Objects: []int{1000, 65536}, Scope: 1000, Active: 100,
		Unlimited: true, Distance: true, Profile: "f",
	}, o.Load)

	o, _ = parsed(t, "replicate --lockstep --loss 10 --rtt 2-6 --size 260 --deaf")
	assert.Equal(t, Load{
		Objects: []int{1000}, Active: 100, Lockstep: true, Loss: 10, RTT: [2]int{2, 6}, Size: 260, Deaf: true,
	}, o.Load)

	o, w = parsed(t, "line --json 256 CUBIC")
	assert.Equal(t, "line", w.Name)
	assert.Equal(t, []string{"256", "CUBIC"}, o.Rows)
}
