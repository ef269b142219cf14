package testenv

import (
	"flag"
	"runtime"
	"strconv"
)

// Parallel has at least n parallel tests run at the same time, for tests that wait more than they
// compute. TestMain calls it.
func Parallel(n int) {
	flag.Parse()
	if runtime.GOMAXPROCS(0) < n {
		_ = flag.Set("test.parallel", strconv.Itoa(n))
	}
}
