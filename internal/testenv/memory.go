package testenv

import "os"

// memory is a folder in memory, where the system has one.
const memory = "/dev/shm"

// InMemory keeps the temporary folders of tests in memory, where a sync takes no time: it takes
// most of the time of tests that save many small files. TestMain calls it. No test may start a
// program from such a folder, because some systems forbid that.
func InMemory() {
	if dir, err := os.MkdirTemp(memory, "torc"); err == nil && os.Remove(dir) == nil && os.Getenv("TMPDIR") == "" {
		_ = os.Setenv("TMPDIR", memory)
	}
}
