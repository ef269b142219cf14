package vm

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/luac"
)

// A global is declared when a file of the mod assigns it anywhere, even nil, or when the mod has
// assigned it. Reading any other global gives nil and a warning.

const (
	maxDeclared = 10_000 // declared names of a mod; further ones are not recorded
	maxWarned   = 100    // warnings of a mod about names that were never assigned
)

// declare records that the mod assigns a global.
func (s *State) declare(name string) {
	if len(s.declared) >= maxDeclared || len(name) > MaxName {
		return
	}
	if s.declared == nil {
		s.declared = map[string]bool{}
	}
	s.declared[name] = true
}

// declareAll records the globals that a file assigns anywhere.
func (s *State) declareAll(p *lua.FunctionProto) {
	for _, code := range p.Code {
		if i := luac.Instruction(code); i.Op() == lua.OP_SETGLOBAL {
			s.declare(luac.ConstantText(p, i.Bx()))
		}
	}
	for _, inner := range p.FunctionPrototypes {
		s.declareAll(inner)
	}
}

// readUndeclared handles a read of a global that does not exist. Each name is warned of once.
func (s *State) readUndeclared(l *lua.LState, name string) {
	if s.declared[name] || s.warned[name] || len(s.warned) >= maxWarned || len(name) > MaxName {
		return
	}
	if s.warned == nil {
		s.warned = map[string]bool{}
	}
	s.warned[strings.Clone(name)] = true
	place := CallerPosition(l, 1)
	file, line := s.mod.Runtime.parsePlace(place)
	s.mod.Runtime.Log(slog.LevelWarn, fmt.Sprintf("%s: %sthe global '%s' was never assigned and is nil%s", s.mod.Name, place, ClipText(name, MaxQuoted), s.meant(name)),
		"mod", s.mod.Name, "file", file, "line", line)
}

// meant returns a suggestion for the name of a global that was never assigned, as the end of a
// sentence. It returns "" if no name is near.
func (s *State) meant(name string) string {
	if s.declared[name] || len(s.declared) > maxCandidates {
		return ""
	}
	if text, known := s.suggested[name]; known || len(s.suggested) >= maxWarned || len(name) > MaxName {
		return text // a search costs more than the error: a script gets few of them
	}
	if text := s.notGlobal(name); text != "" {
		return text // it is not kept: the class can change
	}
	names := s.Names()
	for declared := range s.declared {
		names = append(names, declared)
	}
	slices.Sort(names)
	text := Meant(name, names)
	if s.suggested == nil {
		s.suggested = map[string]string{}
	}
	s.suggested[strings.Clone(name)] = text
	return text
}

// maxCandidates limits a suggestion: longer lists are not searched.
const maxCandidates = 4096

// Meant returns a suggestion for a misspelt name, as the end of a sentence. It returns "" if no
// candidate is near.
func Meant(name string, among []string) string {
	if len(among) > maxCandidates {
		return ""
	}
	if near := spell.Nearest(name, among); near != "" && near != name {
		return ", did you mean '" + near + "'?"
	}
	return ""
}
