package debug

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/google/go-dap"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// threadID is the number of the only thread that the client sees. Its stack has the frames of all
// threads in progress.
const threadID = 1

// Config configures a Session.
type Config struct {
	Runtime *vm.Runtime
	Mod     string               // name of the mod
	Stand   func()               // stands still until Running returns true
	Send    func(message []byte) // a message to the client: JSON without line breaks
}

// A Session debugs one mod for one client. Only the goroutine that owns the host uses it.
type Session struct {
	cfg Config
	seq int // messages sent

	files       map[string]*file
	protos      map[*lua.FunctionProto]*file // nil: of no file of the mod
	breakpoints int
	ids         int
	onErrors    bool     // stop on all errors
	onUncaught  bool     // stop on errors that nothing catches
	root        string   // where the editor has the mod's folder; "" if unknown
	sources     []string // chunks that are on no disk; their numbers begin with 1

	threads    []thread // in progress, the one that runs last
	armed      bool     // threads look for lines
	pausing    bool     // stop at the next line
	step       step
	seen       raised
	stop       *stop // nil while Lua runs
	evaluating bool  // Lua runs for the client
	over       bool

	conditions int           // evaluated in the entry in progress
	tick       time.Duration // simulation time of the newest entry
	messages   int           // of log points in that tick
}

// Attach begins a session. Call it between two ticks.
func Attach(cfg Config) (*Session, error) {
	s := &Session{cfg: cfg, files: map[string]*file{}, protos: map[*lua.FunctionProto]*file{}}
	if s.mod() == nil {
		return nil, fmt.Errorf("the mod %s is not loaded", cfg.Mod)
	}
	cfg.Runtime.SetDebugger(s)
	return s, nil
}

// mod returns the running instance of the mod, nil if it is not loaded.
func (s *Session) mod() *vm.Mod { return s.cfg.Runtime.Mod(s.cfg.Mod) }

// Running reports whether Lua may go on.
func (s *Session) Running() bool { return s.over || s.stop == nil || s.stop.resumed }

// Over reports whether the session has ended.
func (s *Session) Over() bool { return s.over }

// End ends the session: its breakpoints are gone, and Lua goes on.
func (s *Session) End() {
	if !s.over {
		s.over = true
		s.cfg.Runtime.SetDebugger(nil)
	}
}

// event returns the head of an event.
func event(name string) dap.Event {
	return dap.Event{ProtocolMessage: dap.ProtocolMessage{Type: "event"}, Event: name}
}

func (s *Session) output(text string) {
	s.send(&dap.OutputEvent{Event: event("output"), Body: dap.OutputEventBody{Category: "console", Output: text + "\n"}})
}

// send numbers a message and passes it on.
func (s *Session) send(m dap.Message) {
	s.seq++
	switch m := m.(type) {
	case dap.EventMessage:
		m.GetEvent().Seq = s.seq
	case dap.ResponseMessage:
		m.GetResponse().Seq = s.seq
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	s.cfg.Send(text)
}

var (
	errRunning = errors.New("the mod runs: pause it first")
	errFrame   = errors.New("no such frame")
)

// Handle answers a request of the client. The error says why the message is none; then nothing is
// answered.
func (s *Session) Handle(message []byte) error {
	m, err := dap.DecodeProtocolMessage(message)
	if err != nil {
		var unknown *dap.DecodeProtocolMessageFieldError
		if errors.As(err, &unknown) && unknown.SubType == "Request" {
			s.fail(&dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: unknown.Seq}, Command: unknown.FieldValue}, errors.New("torc has no request "+unknown.FieldValue))
			return nil
		}
		return err
	}
	r, ok := m.(dap.RequestMessage)
	if !ok {
		return nil // an answer: torc asks nothing
	}
	head := r.GetRequest()
	answer, err := s.answer(r)
	if err != nil {
		s.fail(head, err)
		return nil
	}
	*answer.GetResponse() = dap.Response{ProtocolMessage: dap.ProtocolMessage{Type: "response"}, RequestSeq: head.Seq, Command: head.Command, Success: true}
	s.send(answer)
	switch r.(type) {
	case *dap.InitializeRequest:
		s.send(&dap.InitializedEvent{Event: event("initialized")})
	case *dap.DisconnectRequest:
		s.End()
	}
	return nil
}

// fail answers that a request failed.
func (s *Session) fail(r *dap.Request, err error) {
	s.send(&dap.ErrorResponse{
		Response: dap.Response{ProtocolMessage: dap.ProtocolMessage{Type: "response"}, RequestSeq: r.Seq, Command: r.Command, Message: err.Error()},
		Body:     dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: err.Error()}},
	})
}

// answer carries out a request that concerns the session as a whole.
func (s *Session) answer(r dap.RequestMessage) (dap.ResponseMessage, error) {
	switch r := r.(type) {
	case *dap.InitializeRequest:
		return &dap.InitializeResponse{Body: capabilities()}, nil
	case *dap.AttachRequest:
		return &dap.AttachResponse{}, nil
	case *dap.LaunchRequest:
		return &dap.LaunchResponse{}, nil
	case *dap.ConfigurationDoneRequest:
		return &dap.ConfigurationDoneResponse{}, nil
	case *dap.DisconnectRequest:
		return &dap.DisconnectResponse{}, nil
	case *dap.SetBreakpointsRequest:
		list, err := s.setBreakpoints(r)
		return &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: list}}, err
	case *dap.SetExceptionBreakpointsRequest:
		return &dap.SetExceptionBreakpointsResponse{}, s.setErrors(r.Arguments.Filters)
	case *dap.ThreadsRequest:
		return &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: []dap.Thread{{Id: threadID, Name: "mod " + s.cfg.Mod}}}}, nil
	case *dap.PauseRequest:
		s.pausing = s.stop == nil
		s.arm()
		return &dap.PauseResponse{}, nil
	case *dap.SourceRequest:
		return s.sourceText(r)
	case *dap.EvaluateRequest:
		return s.evaluation(r)
	}
	if s.Running() {
		return nil, errRunning
	}
	return s.answerStopped(r)
}

// answerStopped carries out a request for which the mod must stand still.
func (s *Session) answerStopped(r dap.RequestMessage) (dap.ResponseMessage, error) {
	switch r := r.(type) {
	case *dap.ContinueRequest:
		s.resume("")
		return &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, nil
	case *dap.NextRequest:
		s.resume("over")
		return &dap.NextResponse{}, nil
	case *dap.StepInRequest:
		s.resume("in")
		return &dap.StepInResponse{}, nil
	case *dap.StepOutRequest:
		s.resume("out")
		return &dap.StepOutResponse{}, nil
	case *dap.StackTraceRequest:
		list, total := s.stackTrace(r.Arguments.StartFrame, r.Arguments.Levels)
		return &dap.StackTraceResponse{Body: dap.StackTraceResponseBody{StackFrames: list, TotalFrames: total}}, nil
	case *dap.ScopesRequest:
		p, err := s.frame(r.Arguments.FrameId)
		if err != nil {
			return nil, err
		}
		return &dap.ScopesResponse{Body: dap.ScopesResponseBody{Scopes: s.scopes(p)}}, nil
	case *dap.VariablesRequest:
		list, err := s.variables(r.Arguments.VariablesReference, r.Arguments.Start, r.Arguments.Count)
		return &dap.VariablesResponse{Body: dap.VariablesResponseBody{Variables: list}}, err
	case *dap.ExceptionInfoRequest:
		return s.exceptionInfo()
	}
	return nil, fmt.Errorf("torc has no request %s", r.GetRequest().Command)
}

func capabilities() dap.Capabilities {
	return dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsConditionalBreakpoints: true, SupportsHitConditionalBreakpoints: true,
		SupportsLogPoints: true, SupportsEvaluateForHovers: true, SupportsExceptionInfoRequest: true, SupportsDelayedStackTraceLoading: true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{
			{Filter: "all", Label: "All errors", Description: "Stops on every error, also on one that pcall or coroutine.resume catches"},
			{Filter: "uncaught", Label: "Uncaught errors", Description: "Stops on errors that become faults of the mod", Default: true},
		},
	}
}

// setErrors sets on which errors to stop.
func (s *Session) setErrors(filters []string) error {
	s.onErrors, s.onUncaught = false, false
	for _, f := range filters {
		switch f {
		case "all":
			s.onErrors = true
		case "uncaught":
			s.onUncaught = true
		default:
			return fmt.Errorf("unknown filter %q: there are all and uncaught", f)
		}
	}
	return nil
}

// resume lets Lua go on, up to the end of a step if there is a kind.
func (s *Session) resume(kind string) {
	t := len(s.threads)
	s.step = step{kind, depth{t, s.here().frame.Index}}
	s.stop.resumed = true
	s.arm()
}

// frame returns a frame of the stop.
func (s *Session) frame(number int) (place, error) {
	if number < 1 || number > len(s.stop.frames) {
		return place{}, errFrame
	}
	return s.stop.frames[number-1], nil
}

// evaluation answers an expression, in a frame or among the globals of the mod.
func (s *Session) evaluation(r *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	p, err := place{mod: s.mod()}, error(nil)
	if r.Arguments.FrameId != 0 {
		if s.Running() {
			return nil, errRunning
		}
		p, err = s.frame(r.Arguments.FrameId)
	} else if p.mod == nil {
		err = fmt.Errorf("the mod %s is not loaded", s.cfg.Mod)
	}
	if err != nil {
		return nil, err
	}
	values, err := s.evaluate(p, r.Arguments.Expression)
	if err != nil {
		return nil, err
	}
	a := &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{Result: s.show(p.mod, values)}}
	if len(values) == 1 {
		a.Body.Type = values[0].Type().String()
		a.Body.VariablesReference = s.expandable(p, values[0], r.Arguments.Expression)
	}
	return a, nil
}

// exceptionInfo answers what error stopped the mod.
func (s *Session) exceptionInfo() (dap.ResponseMessage, error) {
	if s.stop.err == nil {
		return nil, errors.New("the mod has not stopped on an error")
	}
	a := &dap.ExceptionInfoResponse{Body: dap.ExceptionInfoResponseBody{ExceptionId: "error", Description: vm.PlainText(s.stop.err), BreakMode: "unhandled"}}
	if s.caught() {
		a.Body.BreakMode = "always"
	}
	return a, nil
}

// sourceText answers the text of a file that is on no disk.
func (s *Session) sourceText(r *dap.SourceRequest) (dap.ResponseMessage, error) {
	n := r.Arguments.SourceReference
	if r.Arguments.Source != nil && n == 0 {
		n = r.Arguments.Source.SourceReference
	}
	if n < 1 || n > len(s.sources) {
		return nil, fmt.Errorf("no source with the number %d", n)
	}
	name, file, _ := strings.Cut(strings.TrimPrefix(s.sources[n-1], "mods/"), "/")
	m := s.cfg.Runtime.Mod(name)
	if m == nil {
		return nil, fmt.Errorf("the mod %s is not loaded", name)
	}
	text, err := fs.ReadFile(m.FS, file)
	if err != nil {
		return nil, err
	}
	return &dap.SourceResponse{Body: dap.SourceResponseBody{Content: string(text), MimeType: "text/x-lua"}}, nil
}
