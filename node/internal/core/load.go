package core

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/manifest"
)

// Content is what a server plays.
type Content struct {
	Load    []string // names of mods
	Mission string   // "": the mods decide
}

// Start sets the variables, loads the mods and runs all scripts of a Config. The error joins those
// of the files: a node never runs with half of what a file says, such as without a ban. The error
// of a script without a file is printed on the console, like that of a typed line.
func (s *Side) Start(cfg Common, w Content) error {
	if err := s.Load(cfg, w); err != nil {
		return err
	}
	var failed []error
	for _, given := range cfg.Scripts {
		if given.Name == "" {
			s.Print(s.Scripts.EvalLua(given.Code))
			continue
		}
		out, err := s.Console.ExecFile(given.Name, given.Code)
		s.Print(out, nil)
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// Load sets the variables and loads the mods. The variables of mods exist only when these are
// loaded, so an unknown name is not an error before that. It is one when torc's own variables begin
// like it.
func (s *Side) Load(cfg Common, w Content) error {
	later := []Var{}
	for _, name := range s.Console.Names() {
		s.own[family(name)] = true
	}
	for _, v := range cfg.Vars {
		if _, known := s.Console.Lookup(v.Name); known != nil {
			if err := s.set(v); err != nil {
				return err
			}
			continue
		}
		s.Scripts.Expect(v.Name, v.Value)
		later = append(later, v)
	}
	if err := s.loadMods(cfg.Strict, w); err != nil {
		return err
	}
	for _, v := range later {
		_, known := s.Console.Lookup(v.Name)
		if known != nil || s.own[family(v.Name)] {
			if err := s.set(v); err != nil {
				return err
			}
		} else if s.Host.IsServer() { // a client's mods come with its server
			s.log.Warn(v.From + " " + v.Name + " has no effect yet: " + s.Console.Set(v.Name, v.Value).Error())
		}
	}
	return nil
}

// CanDeclare reports whether a mod that is loaded later can have a variable of this name: no
// variable of torc begins like it.
func (s *Side) CanDeclare(name string) bool { return !s.own[family(name)] }

// family is the first part of a variable's name: net of net.rate.
func family(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

func (s *Side) set(v Var) error {
	if err := s.Console.Set(v.Name, v.Value); err != nil {
		return &ConfigError{"Vars", v.From, err}
	}
	return nil
}

// loadMods loads base, and on a server also the mods of the Config. A client loads the rest when
// its server names them. A mod with an error is left out.
func (s *Side) loadMods(strict bool, w Content) error {
	wanted, bad, err := s.wanted(w.Load)
	if err != nil {
		return err
	}
	bad = append(bad, s.Scripts.LoadMods(wanted...)...)
	if strict && len(bad) > 0 {
		return bad[0]
	}
	for _, err := range bad {
		s.log.Error(err.Error())
	}
	if s.Scripts.Runtime.Mod(manifest.Base) == nil {
		return fmt.Errorf("the mod base is not loaded, and every mod needs it: %w", script.LoadReason(manifest.Base, bad))
	}
	s.Host.SetMods(s.Scripts.ModInfos())
	if w.Mission != "" && s.Host.IsServer() {
		return s.Scripts.LoadMission(w.Mission)
	}
	return nil
}

// wanted are those of the mods that can be loaded together, and why the others cannot. A name that
// no mod has is an error, and so is a mod with a broken manifest.
func (s *Side) wanted(load []string) (names []string, bad []error, err error) {
	if !s.Host.IsServer() {
		return nil, nil, nil
	}
	installed, broken := manifest.Discover(s.folders...) // LoadMods reports broken ones
	for _, name := range load {
		_, err := manifest.Order(installed, append(names, name)...)
		err = manifest.Explain(err, broken, s.folders...)
		switch {
		case err == nil:
			names = append(names, name)
		case installed[name] == nil:
			return nil, nil, &ConfigError{"Load", name, err}
		default:
			s.Scripts.NotLoaded(name, err)
			bad = append(bad, err)
		}
	}
	return names, bad, nil
}

// Print prints the output of a line and its error.
func (s *Side) Print(out string, err error) {
	if out != "" {
		s.Console.Print(out)
	}
	if err != nil {
		s.Console.Print("error: " + err.Error())
	}
}
