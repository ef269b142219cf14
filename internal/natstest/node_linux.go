package natstest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// jiffy is the unit of CPU time in /proc.
const jiffy = time.Second / 100

// CPU returns the CPU time that a process has used; 0 if there is none.
func CPU(process int) time.Duration {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(string(fields[11]))
	system, _ := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * jiffy
}
