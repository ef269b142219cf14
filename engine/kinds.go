package engine

import "github.com/torc-engine/torc/netcore/event"

// kinds are the event kinds of the engine.
var kinds = newKinds(func() event.Event { return new(remoteCommand) }, func() event.Event { return new(speech) })

// EventKinds returns the event kinds of a host with some custom ones.
func EventKinds(custom ...CustomKind) *event.Kinds {
	return new(customKinds).newKinds(func() event.Event { return new(remoteCommand) }, func() event.Event { return new(speech) }, custom)
}

// newKinds returns the event kinds, and some more. newCommand and newSpeech allocate received
// commands and frames.
func newKinds(newCommand, newSpeech func() event.Event, more ...event.Kind) *event.Kinds {
	return event.NewKinds(append(more[:len(more):len(more)],
		event.Kind{Name: "camera", Dir: event.ToClient, New: func() event.Event { return new(cameraRequest) }},
		event.Kind{Name: "command", New: newCommand},
		event.Kind{Name: "description", Dir: event.ToClient, New: func() event.Event { return new(declaration) }},
		event.Kind{Name: "form", New: func() event.Event { return new(formEvent) }},
		event.Kind{Name: "hello", Dir: event.ToClient, New: func() event.Event { return new(hello) }},
		event.Kind{Name: "pace", Dir: event.ToClient, New: func() event.Event { return new(paceChange) }},
		event.Kind{Name: "phaseAnswer", Dir: event.ToServer, New: func() event.Event { return new(phaseAnswer) }},
		event.Kind{Name: "phaseStep", Dir: event.ToClient, New: func() event.Event { return new(phaseStep) }},
		event.Kind{Name: "recording", Dir: event.ToClient, New: func() event.Event { return new(recordingPiece) }},
		event.Kind{Name: "speech", Dir: event.ToServer, New: newSpeech},
		event.Kind{Name: "transfer", New: func() event.Event { return new(transferEvent) }},
		event.Kind{Name: "voice", Dir: event.ToClient, New: func() event.Event { return new(relayedVoice) }},
		event.Kind{Name: "voiceState", Dir: event.ToClient, New: func() event.Event { return new(voiceState) }},
	)...)
}

var (
	cameraID      = kinds.ID("camera")
	commandID     = kinds.ID("command")
	descriptionID = kinds.ID("description")
	formID        = kinds.ID("form")
	helloID       = kinds.ID("hello")
	paceID        = kinds.ID("pace")
	phaseAnswerID = kinds.ID("phaseAnswer")
	phaseStepID   = kinds.ID("phaseStep")
	recordingID   = kinds.ID("recording")
	speechID      = kinds.ID("speech")
	transferID    = kinds.ID("transfer")
	voiceID       = kinds.ID("voice")
	voiceStateID  = kinds.ID("voiceState")
)
