package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// Kernel is the hidden subcommand of torclab for the process that measures a connection beside a
// TCP of the kernel. It has a network namespace of its own, with a token bucket of the system.
const Kernel = "bench-kernel"

// kernelRates are the lines of these rows, in bits/s.
var kernelRates = []float64{256_000, 2e6}

// kernelTask is what the process reads, and kernelShares what it writes: shares of the line.
type kernelTask struct {
	Rate float64 // bits/s
	Long time.Duration
}
type kernelShares struct {
	Torc, TCP float64
	Error     string
}

// RunKernel is the process in the namespace.
func RunKernel(from io.Reader, to io.Writer) error {
	var task kernelTask
	if err := json.NewDecoder(from).Decode(&task); err != nil {
		return err
	}
	torc, tcp, err := besideKernelTCP(task.Rate, task.Long)
	shares := kernelShares{Torc: torc, TCP: tcp}
	if err != nil {
		shares.Error = err.Error()
	}
	return json.NewEncoder(to).Encode(shares)
}

// kernelRow measures beside a TCP of the kernel. A system that allows no namespace or has no token
// bucket does not run the row.
func kernelRow(rate float64, long time.Duration) (row Row, pass bool) {
	shares, err := kernelMeasure(kernelTask{rate, max(long, time.Minute)})
	measured, verdict := fmt.Sprintf("torc %.0f%%, TCP %.0f%%", 100*shares.Torc, 100*shares.TCP), "pass"
	switch {
	case err != nil:
		measured, verdict = err.Error(), "not run"
	case shares.Torc < .25 || shares.Torc > .75:
		verdict = "FAIL"
	}
	return Row{{"line", fmt.Sprintf("beside kernel TCP, tc tbf, %g kbit/s", rate/1000)}, {"required", "torc gets 25 to 75%"},
		{"netsim", "-"}, {"relay", measured}, {"result", verdict}}, verdict != "FAIL"
}

func kernelMeasure(task kernelTask) (shares kernelShares, err error) {
	cmd, err := kernelCommand()
	if err != nil {
		return shares, err
	}
	order, err := json.Marshal(task)
	if err != nil {
		return shares, err
	}
	cmd.Stdin = bytes.NewReader(order)
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &shares)
	}
	if err == nil && shares.Error != "" {
		err = fmt.Errorf("%s", strings.ReplaceAll(shares.Error, "\n", " "))
	}
	return shares, err
}
