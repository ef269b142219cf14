package engine

// Step is a part of a tick, in the order in which they are done.
type Step int

const (
	StepReceive   Step = iota // what has come: commands, answers, ghosts, joins
	StepMoves                 // moves of peers, of bots, and of this side's own
	StepSimulate              // the world's own tick
	StepScripts               // events, the schedule, onTick
	StepReplicate             // deleted objects go; who sees what, and its images
	Steps                     // how many there are
)

// probe tells who measures that a step is done.
func (h *Host) probe(done Step) {
	if h.cfg.Probe != nil {
		h.cfg.Probe(done)
	}
}
