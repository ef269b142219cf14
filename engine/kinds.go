package engine

import "github.com/torc-engine/torc/netcore"

// kinds are the events that the engine sends, the same on both sides.
var kinds = netcore.NewKinds(
	netcore.EventKind{Name: "command", New: func() netcore.Event { return new(command) }},
	netcore.EventKind{Name: "datablock", Dir: netcore.ToClient, New: func() netcore.Event { return new(datablock) }},
	netcore.EventKind{Name: "hello", Dir: netcore.ToClient, New: func() netcore.Event { return new(hello) }},
	netcore.EventKind{Name: "phaseAnswer", Dir: netcore.ToServer, New: func() netcore.Event { return new(phaseAnswer) }},
	netcore.EventKind{Name: "phaseStep", Dir: netcore.ToClient, New: func() netcore.Event { return new(phaseStep) }},
)

var (
	commandID     = kinds.ID("command")
	datablockID   = kinds.ID("datablock")
	helloID       = kinds.ID("hello")
	phaseAnswerID = kinds.ID("phaseAnswer")
	phaseStepID   = kinds.ID("phaseStep")
)
