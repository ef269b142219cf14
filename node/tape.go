package node

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/internal/journals"
	"github.com/torc-engine/torc/node/internal/tape"
)

// outcomes is a service whose commands go through the tape.
type outcomes struct {
	core.Service
	tape tape.Tape
}

// Commands returns the commands of the service.
func (s outcomes) Commands() (list []console.Command) {
	for _, c := range s.Service.Commands() {
		list = append(list, s.tape.Command(c))
	}
	return list
}

// throughTape returns the services as the console sees them: the tape stands before the commands of
// those that are OfMachine.
func (b *builder) throughTape() (list []core.Service) {
	for _, service := range b.server.services {
		if core.IsOfMachine(service) {
			service = outcomes{service, b.server.tape}
		}
		list = append(list, service)
	}
	return list
}

// openTape reads the key of the server, and begins its journal.
func (b *builder) openTape() (*journals.Service, error) {
	s := b.server
	opts := journals.Options{Restarts: s.cfg.Server.Restarts}
	if j := s.cfg.Server.Journal; j != nil {
		opts.Folder, opts.Writer = j.Folder, j.Writer
	}
	played := s.tape != nil
	if !played {
		s.tape = tape.Untaped{}
		var err error
		if s.own, err = b.identity(); err != nil {
			return nil, err
		}
	}
	recorder, err := journals.New(s.core, opts)
	if err != nil || played {
		return recorder, err
	}
	s.core.Loop.Crashed = recorder.Crashed
	if recorder.Out() == nil {
		return recorder, nil
	}
	if err := b.record(recorder); err != nil {
		return nil, errors.Join(err, recorder.Close())
	}
	return recorder, nil
}

// record begins the journal.
func (b *builder) record(recorder *journals.Service) error {
	s := b.server
	cfg, err := b.describe()
	if err != nil {
		return err
	}
	text, err := json.Marshal(cfg)
	if err != nil {
		return err
	}
	classes, err := core.NewClasses(s.cfg.Register)
	if err != nil {
		return err
	}
	w, err := journal.NewWriter(recorder.Out(), journal.Header{
		Protocol: netcore.ProtocolVersion, Classes: fmt.Sprintf("%016x", classes.Hash()), Prints: classes.NamedFingerprints(), Events: engine.EventPrints(s.cfg.Events), Program: cmp.Or(s.cfg.Version, "-"), Build: journals.BuildName(), Config: text,
	})
	if err != nil {
		return err
	}
	r := tape.NewRecorder(w, cfg, recorder.Ended, recorder.Marked)
	s.tape = r
	recorder.Record(r)
	s.cfg.Commands = slices.Clone(s.cfg.Commands) // the program can use its own again
	for i, c := range s.cfg.Commands {
		s.cfg.Commands[i] = r.Command(c)
	}
	return nil
}

// describe describes the server for the header of its journal.
func (b *builder) describe() (tape.Config, error) {
	s := b.server
	seed := core.DrawSeed(s.cfg.Seed, s.core.From.Entropy)
	s.cfg.Seed = &seed
	cfg := tape.Config{
		Name: s.cfg.Name, Password: s.cfg.Password, Load: s.cfg.Server.Load, Mission: s.cfg.Server.Mission, MaxClients: s.cfg.Server.MaxClients, Strict: s.cfg.Strict,
		Restarts: s.cfg.Server.Restarts, Socket: s.cfg.Server.Listen != "", Web: s.cfg.Server.Web != nil, LocalWeb: s.cfg.Server.Web != nil && s.cfg.Server.Web.Local,
		Store: s.core.Home.HasFolder(), Tests: s.cfg.Server.Trial != nil, Network: s.core.From.Network != nil || !s.stepped && hasModNetwork,
		Resolver: b.resolve() != nil, Lists: map[string]string{}, Commands: tape.CommandsOf(s.cfg.Commands),
		Folders: tape.Paths(core.ModFolders(s.cfg.Mods)), Files: s.cfg.Files != nil, Seed: seed, Key: s.own.Public.String(), Date: s.core.From.Began.UnixNano(),
	}
	if f := s.cfg.Server.Fleet; f != nil {
		cfg.Fleet = f.Name
	}
	for _, p := range s.cfg.Server.Peers {
		cfg.Peers = append(cfg.Peers, tape.Peer{Name: p.Name, Address: p.Address, Key: p.Key.String()})
	}
	for _, v := range s.cfg.Vars {
		cfg.Vars = append(cfg.Vars, tape.Var(v))
	}
	for _, c := range s.cfg.Scripts {
		cfg.Scripts = append(cfg.Scripts, tape.Script(c))
	}
	for _, name := range tape.ListNames {
		if !s.core.Home.HasFolder() {
			break
		}
		text, err := os.ReadFile(s.core.Home.Path(name))
		if err == nil {
			cfg.Lists[name] = string(text)
		} else if !os.IsNotExist(err) {
			return cfg, err
		}
	}
	_, err := io.ReadFull(s.core.From.Entropy, cfg.Entropy[:])
	return cfg, err
}
