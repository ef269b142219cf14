package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/bench"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// measure runs torc bench.
func measure(o *config.Options, stdout io.Writer) error {
	if o.Bench == bench.Clients {
		return bench.RunClients(os.Stdin, stdout) // the second process of a workload
	}
	if o.Bench == bench.Kernel {
		return bench.RunKernel(os.Stdin, stdout)
	}
	names := strings.Join(bench.Names(), ", ")
	if o.Bench == "" {
		return &config.UsageError{Text: "torc bench needs the name of a workload: " + names}
	}
	w, known := bench.Find(o.Bench)
	if !known {
		return &config.UsageError{Text: fmt.Sprintf("torc bench has no workload %q; it has %s", o.Bench, names)}
	}
	row := time.Duration(o.Seconds * float64(time.Second))
	return w.Print(stdout, bench.Options{JSON: o.JSON, Row: row, Load: o.Load, Rows: o.Rows})
}
