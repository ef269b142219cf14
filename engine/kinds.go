package engine

import "github.com/torc-engine/torc/netcore"

// kinds are the event kinds of the engine, equal on both sides.
var kinds = newKinds(func() netcore.Event { return new(command) })

// newKinds returns the event kinds. newCommand allocates received commands.
func newKinds(newCommand func() netcore.Event) *netcore.Kinds {
	return netcore.NewKinds(
		netcore.EventKind{Name: "command", New: newCommand},
		netcore.EventKind{Name: "description", Dir: netcore.ToClient, New: func() netcore.Event { return new(description) }},
		netcore.EventKind{Name: "hello", Dir: netcore.ToClient, New: func() netcore.Event { return new(hello) }},
		netcore.EventKind{Name: "phaseAnswer", Dir: netcore.ToServer, New: func() netcore.Event { return new(phaseAnswer) }},
		netcore.EventKind{Name: "phaseStep", Dir: netcore.ToClient, New: func() netcore.Event { return new(phaseStep) }},
	)
}

var (
	commandID     = kinds.ID("command")
	descriptionID = kinds.ID("description")
	helloID       = kinds.ID("hello")
	phaseAnswerID = kinds.ID("phaseAnswer")
	phaseStepID   = kinds.ID("phaseStep")
)
