package vm

import "time"

// A transaction gives several root entries one budget of CPU time, with the work that Go does
// between them, such as compiling. It runs pinned to its thread. Only entries without an event of
// the engine use the budget: the files of mods, and onReload.
//
// The meter decides at a check, and its verdict names the whole budget. So a replay needs no
// measured remainder.
type transaction struct {
	most    time.Duration
	cpu     func() time.Duration // nil: no transaction, or no CPU clock
	release func()
	began   time.Duration // the CPU clock at the beginning
}

// Transact begins a transaction whose loads may use that much CPU time together. Call it at depth
// 0, and call end at depth 0 on the same goroutine. Without a CPU clock there is no time limit.
func (h *Runtime) Transact(most time.Duration) (end func()) {
	m := &h.meter
	if m.thread == nil {
		return func() {}
	}
	t := &m.reload
	t.most = most
	t.cpu, t.release = m.thread()
	t.began = t.cpu()
	return func() {
		t.release()
		*t = transaction{}
	}
}

// over reports whether the budget is used up.
func (t *transaction) over() bool { return t.cpu != nil && t.cpu()-t.began > t.most }
