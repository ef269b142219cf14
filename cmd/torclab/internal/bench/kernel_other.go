//go:build !linux

package bench

import (
	"errors"
	"os/exec"
	"time"
)

var errNoNamespace = errors.New("this system has no network namespaces")

func besideKernelTCP(float64, time.Duration) (torc, tcp float64, err error) {
	return 0, 0, errNoNamespace
}

func kernelCommand() (*exec.Cmd, error) { return nil, errNoNamespace }
