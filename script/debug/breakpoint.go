package debug

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/luac"
	"github.com/torc-engine/torc/script/vm"
)

const (
	maxProtos     = 4096   // functions whose file is known without a search
	maxConditions = 10_000 // that one entry evaluates before it stops, as each delays the server
	maxMessages   = 100    // of log points in one tick
)

// A file is a file of the mod with breakpoints. Its name is relative to the mod's folder.
type file struct {
	name        string
	breakpoints map[int]*breakpoint // by line
}

// A breakpoint stops at a line.
type breakpoint struct {
	id        int
	line      int
	condition expression // with the text "": always
	hits      int
	enough    func(hits int) bool // nil: always
	message   string              // printed instead of stopping; "": stop
}

// fileOf returns the file of a function, nil if the code is in no file.
func (s *Session) fileOf(m *vm.Mod, p *lua.FunctionProto) *file {
	f, known := s.protos[p]
	if !known {
		if name, ok := strings.CutPrefix(p.SourceName, m.Dir()+"/"); ok {
			f = s.file(name)
		}
		if len(s.protos) >= maxProtos {
			clear(s.protos)
		}
		s.protos[p] = f
	}
	return f
}

func (s *Session) file(name string) *file {
	if s.files[name] == nil {
		s.files[name] = &file{name: name}
	}
	return s.files[name]
}

// setBreakpoints replaces the breakpoints of a file.
func (s *Session) setBreakpoints(r *dap.SetBreakpointsRequest) ([]dap.Breakpoint, error) {
	name, err := s.find(r.Arguments.Source.Path)
	if err != nil {
		return nil, err
	}
	f := s.file(name)
	s.breakpoints -= len(f.breakpoints)
	f.breakpoints = map[int]*breakpoint{}
	lines, note := s.codeLines(name)
	set := []dap.Breakpoint{}
	for _, want := range r.Arguments.Breakpoints {
		set = append(set, s.setBreakpoint(f, lines, want))
		if set[len(set)-1].Message == "" {
			set[len(set)-1].Message = note
		}
	}
	s.breakpoints += len(f.breakpoints)
	s.arm()
	return set, nil
}

// setBreakpoint sets a breakpoint at the first line with code, from the wanted line on.
func (s *Session) setBreakpoint(f *file, lines []int, want dap.SourceBreakpoint) dap.Breakpoint {
	s.ids++
	at, _ := slices.BinarySearch(lines, want.Line)
	if at == len(lines) {
		return dap.Breakpoint{Id: s.ids, Line: want.Line, Message: "no code from this line on"}
	}
	enough, err := hitCondition(want.HitCondition)
	if err != nil {
		return dap.Breakpoint{Id: s.ids, Line: want.Line, Message: err.Error()}
	}
	f.breakpoints[lines[at]] = &breakpoint{s.ids, lines[at], expression{text: want.Condition}, 0, enough, want.LogMessage}
	return dap.Breakpoint{Id: s.ids, Verified: true, Line: lines[at]}
}

// hitCondition reads "5", "= 5", "> 5", ">= 5", "< 5", "<= 5" or "% 5". A number alone means the
// hits from that one on.
func hitCondition(text string) (func(hits int) bool, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	digits := strings.TrimLeft(text, "<>=%")
	sign := text[:len(text)-len(digits)]
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	test, ok := map[string]func(hits int) bool{
		"": func(h int) bool { return h >= n }, ">=": func(h int) bool { return h >= n }, ">": func(h int) bool { return h > n },
		"<": func(h int) bool { return h < n }, "<=": func(h int) bool { return h <= n },
		"=": func(h int) bool { return h == n }, "==": func(h int) bool { return h == n }, "%": func(h int) bool { return h%n == 0 },
	}[sign]
	if err != nil || !ok || n < 1 {
		return nil, fmt.Errorf("hit count %q: must be a number as in 5, > 5 or %% 5", text)
	}
	return test, nil
}

// hits reports whether a breakpoint stops now.
func (s *Session) hits(b *breakpoint) bool {
	at := s.here()
	if b.condition.text != "" {
		if s.conditions == maxConditions {
			s.conditions = 0
			s.output(fmt.Sprintf("stopped in line %d: this handler has checked %d conditions of breakpoints, and the server waits for it. Continue to check as many again", b.line, maxConditions))
			return true
		}
		s.conditions++
		v, err := s.check(at, &b.condition)
		if err != nil {
			s.output(fmt.Sprintf("the condition of the breakpoint in line %d failed: %v", b.line, err))
			return true
		}
		if lua.LVIsFalse(v) {
			return false
		}
	}
	if b.hits++; b.enough != nil && !b.enough(b.hits) {
		return false
	}
	if b.message != "" {
		if s.messages++; s.messages <= maxMessages {
			s.output(s.expand(at, b.message))
		}
		return false
	}
	return true
}

// expand replaces each {expression} of a message by its value.
func (s *Session) expand(at place, message string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(message, "{")
		expression, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return b.String() + message
		}
		b.WriteString(before)
		if v, err := s.value(at, expression); err != nil {
			b.WriteString("<" + err.Error() + ">")
		} else if text, ok := v.(lua.LString); ok {
			b.WriteString(string(text))
		} else {
			b.WriteString(s.text(at.mod, v))
		}
		message = after
	}
}

// find returns the name of a file from its path in the editor. It learns where the editor has the
// mod's folder.
func (s *Session) find(local string) (name string, err error) {
	m := s.mod()
	if m == nil {
		return "", fmt.Errorf("the mod %s is not loaded", s.cfg.Mod)
	}
	slashed := "/" + strings.ReplaceAll(local, `\`, "/")
	folder := "/" + s.cfg.Mod + "/"
	for end := len(slashed); ; {
		at := strings.LastIndex(slashed[:end], folder)
		if at < 0 {
			return "", fmt.Errorf("%s is not a file of the mod %s", local, s.cfg.Mod)
		}
		name = path.Clean(slashed[at+len(folder):])
		if _, err := fs.Stat(m.FS, name); err == nil && fs.ValidPath(name) {
			if root := local[:at+len(folder)-2]; root != m.Dir() {
				s.root = root
			}
			return name, nil
		}
		end = at + 1
	}
}

// codeLines returns the lines of a file with code, in order. note says if they are perhaps not
// those that run.
func (s *Session) codeLines(name string) (lines []int, note string) {
	m := s.mod()
	source, err := fs.ReadFile(m.FS, name)
	if err != nil {
		return nil, err.Error()
	}
	switch hash, loaded := m.Files()[name]; {
	case !loaded:
		note = "the mod has not loaded this file"
	case hash != vm.FileHash(source):
		note = "the file has changed since the mod loaded it: reload the mod"
	}
	proto, err := luac.Compile(name, string(source), func(int) error { return nil })
	if err != nil {
		return nil, err.Error()
	}
	var all func(p *lua.FunctionProto)
	all = func(p *lua.FunctionProto) {
		lines = append(lines, p.DbgSourcePositions...)
		for _, inner := range p.FunctionPrototypes {
			all(inner)
		}
	}
	all(proto)
	slices.Sort(lines)
	return slices.Compact(lines), note
}
