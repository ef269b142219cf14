package vm

import "time"

// New returns a host without mods, with the rows of Lua's own library.
func New(cfg Config) *Runtime {
	cfg.Limits = cfg.Limits.WithDefaults()
	h := &Runtime{Side: cfg.Side, cfg: cfg, protos: cfg.Protos, faultSites: map[string][]*faultSite{}, loads: map[string]int{}, accounts: map[Peer]*peerAccount{}}
	if h.protos == nil {
		h.protos = NewProtos()
	}
	h.epoch = cfg.Date - int64(h.Now()/time.Second)
	h.meter.reset(cfg.Clock, cfg.Thread, cfg.Heap, &h.cfg.Limits)
	h.meter.live, h.meter.want = cfg.Live, cfg.Collect
	h.meter.verdicts = verdicts{report: cfg.Verdict, foretold: cfg.Foretold}
	h.index = rowIndex{globals: map[string]*Func{}, tables: map[string][]*Func{}}
	h.Install(standard()...)
	return h
}

// standard returns the rows of Lua's own library.
func standard() []Lib {
	return []Lib{baseLib, mathLib, stringLib, tableLib, coroutineLib, osLib, loadLib, compatLib, bitLib, utf8Lib}
}
