package engine

// Step is a part of a tick, in execution order.
type Step int

const (
	StepReceive   Step = iota // inboxes: commands, answers, ghosts, joins
	StepMoves                 // moves of peers, bots and this side
	StepSimulate              // tick of the world
	StepScripts               // events, the schedule, onTick
	StepReplicate             // removal of deleted objects, snapshots, scope
	Steps                     // number of steps
)

// probe reports the end of a step to Config.Probe.
func (h *Host) probe(done Step) {
	if h.cfg.Probe != nil {
		h.cfg.Probe(done)
	}
}
