package debug

import (
	"path"
	"strings"

	"github.com/google/go-dap"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
	"github.com/torc-engine/torc/script/vm/stack"
)

// maxFrames limits the frames of a stop.
const maxFrames = 200

// A stop is a moment in which the mod stands still.
type stop struct {
	frames  []place
	refs    []reference // what the client can expand; its number is the index plus 1
	err     lua.LValue  // nil unless an error was raised
	resumed bool
}

// A place is a frame of a mod. The zero value is the mod without a frame.
type place struct {
	mod    *vm.Mod
	thread *lua.LState
	frame  stack.Frame
}

// here returns the frame that runs.
func (s *Session) here() place {
	t := s.threads[len(s.threads)-1]
	f, _ := stack.Top(t.state)
	return place{t.mod, t.state, f}
}

// stopAt stands still until the client goes on.
func (s *Session) stopAt(why dap.StoppedEventBody, err lua.LValue) {
	s.pausing, s.step = false, step{}
	s.arm()
	s.stop = &stop{err: err}
	for i := len(s.threads) - 1; i >= 0; i-- {
		s.collect(s.threads[i])
	}
	why.ThreadId, why.AllThreadsStopped = threadID, true
	s.send(&dap.StoppedEvent{Event: event("stopped"), Body: why})
	s.cfg.Runtime.Aside(s.cfg.Stand)
	s.stop = nil
}

// collect adds the Lua functions of a thread to the frames of the stop.
func (s *Session) collect(t thread) {
	stack.Visit(t.state, func(f stack.Frame) bool {
		if !f.Fn.IsG && f.PC > 0 && strings.HasPrefix(f.Fn.Proto.SourceName, t.mod.Dir()+"/") {
			s.stop.frames = append(s.stop.frames, place{t.mod, t.state, f})
		}
		return len(s.stop.frames) < maxFrames
	})
}

// stackTrace lists frames, innermost first.
func (s *Session) stackTrace(start, count int) (list []dap.StackFrame, total int) {
	frames := s.stop.frames
	list = []dap.StackFrame{}
	for i := max(0, start); i < len(frames) && (count <= 0 || len(list) < count); i++ {
		p := frames[i]
		_, _ = p.thread.GetInfo("Sn", p.frame.Debug, lua.LNil)
		f := dap.StackFrame{Id: i + 1, Name: vm.FunctionName(p.frame), Line: p.line(), Column: 1, Source: s.source(p.mod, p.frame.Fn.Proto.SourceName)}
		if p.mod.Name != s.cfg.Mod {
			f.PresentationHint = "subtle"
		}
		list = append(list, f)
	}
	return list, len(frames)
}

func (p place) line() int { return p.frame.Fn.Proto.DbgSourcePositions[p.frame.PC-1] }

// source names a file: by its path on the disk, or by a number if it is on no disk.
func (s *Session) source(m *vm.Mod, chunk string) *dap.Source {
	name, isFile := strings.CutPrefix(chunk, m.Dir()+"/")
	if !isFile {
		return &dap.Source{Name: chunk}
	}
	if m.Name == s.cfg.Mod && s.root != "" {
		return &dap.Source{Name: path.Base(name), Path: s.root + "/" + name}
	}
	if m.Folder != "" {
		return &dap.Source{Name: path.Base(name), Path: chunk}
	}
	for i, other := range s.sources {
		if other == chunk {
			return &dap.Source{Name: path.Base(name), Path: chunk, SourceReference: i + 1}
		}
	}
	s.sources = append(s.sources, chunk)
	return &dap.Source{Name: path.Base(name), Path: chunk, SourceReference: len(s.sources)}
}
