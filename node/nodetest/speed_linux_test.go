package nodetest

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cpuTime returns the CPU time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it cannot fail for the own process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSimulation measures how many hours of play a CPU simulates in an hour, all oracles
// included. One operation is a second of time for eight players.
func BenchmarkSimulation(b *testing.B) {
	for _, game := range []string{"probe", "ctf"} {
		b.Run(map[string]string{"probe": "idle", "ctf": "fight"}[game], func(b *testing.B) {
			s := newSystem(Plan{Seed: 1, Events: []Event{{What: "players", Arg: "8"}, {What: "game", Arg: game}}}, b.TempDir())
			defer s.close()
			s.server.boot()
			s.endStorm()
			require.True(b, s.until(joinTime, s.allIn))
			if game == "probe" {
				s.server.exec("probe.quiet")
			}
			s.until(5*time.Second, func() bool { return false })
			b.ResetTimer()
			before := cpuTime()
			for range b.N {
				s.until(time.Second, func() bool { return false })
			}
			require.Nil(b, s.failure)
			b.ReportMetric(float64(8*b.N)/(cpuTime()-before).Seconds(), "client-hours/CPU-hour")
		})
	}
}
