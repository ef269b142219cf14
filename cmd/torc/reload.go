package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/cmd/torc/internal/notify"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node"
)

// live keeps a running server and its configuration file in step: reload reads the file again, and
// save writes changed variables into it. Its methods are for the goroutine of the node.
type live struct {
	sys     *system
	read    *config.Server // as last read
	server  *node.Server
	manager *notify.Manager // nil: there is none
	log     *slog.Logger
	level   *slog.LevelVar
	file    *logFile          // nil: there is none
	kept    map[string]string // the value of each variable when it was last read or saved
}

// live returns the live settings of a session with a server, and adds their commands.
func (p *session) live(o *config.Server, cfg *node.Config) *live {
	l := &live{sys: p.sys, read: o, log: p.log, level: &p.level, file: p.logFile}
	cfg.Commands = append(cfg.Commands, l.commands()...)
	return l
}

// commands are reload and save.
func (l *live) commands() []console.Command {
	return []console.Command{
		{Name: "reload", Help: "reads the configuration file, the environment, and the lists of players and rights again, like the signal SIGHUP", Run: func([]string) (string, error) { return "", l.reload() }},
		{Name: "save", Help: "writes changed variables into the configuration file", Run: func([]string) (string, error) { return l.save() }},
	}
}

// runs sets the server, after its start.
func (l *live) runs(s *node.Server) {
	l.server, l.kept = s, map[string]string{}
	for _, name := range s.Console().Names() {
		l.keep(name)
	}
}

// keep notes the present value of a variable.
func (l *live) keep(name string) {
	if _, v := l.server.Console().Lookup(name); v != nil {
		l.kept[name] = l.value(v)
	}
}

// value returns the value of a variable, also of the password.
func (l *live) value(v *console.Var) string {
	if v.Name == passwordVar {
		return l.server.Host().Admission.Password
	}
	return v.Value.String()
}

var errStarting = errors.New("the server is not running yet")

const passwordVar = "sv.password"

// reload opens the log file again and reads the settings again. systemd waits for it.
func (l *live) reload() error {
	if l.server == nil {
		return errStarting
	}
	l.file.reopen()
	return l.manager.Reload(l.readAgain)
}

// readAgain reads the settings again, and applies those that changed. A setting that did not change
// keeps the value that the console gave it. If a setting is wrong, nothing changes. Then it reads
// the lists of players and rights. The error names their wrong lines, and all others hold.
func (l *live) readAgain() error {
	_, all, err := config.Parse(l.sys.args, l.sys.lookup)
	o := config.ServerOf(all)
	if err == nil {
		err = l.apply(changes(variables(l.read), variables(o)), o)
	}
	if err != nil {
		return fmt.Errorf("nothing is reloaded: %w", err)
	}
	err = l.server.Settings.Reread()
	if later := needRestart(l.read, o); len(later) > 0 {
		l.log.Warn("changed settings take effect when the server starts again: " + strings.Join(later, ", "))
	}
	l.read = o
	l.level.Set(o.LogLevel)
	l.log.Info("the settings are reloaded", "file", o.VarsFrom)
	return err
}

// A change is a new value of a variable, or its default if the settings name it no more.
type change struct {
	name, text string
	reset      bool
}

const profileVar = "net.profile"

// profiled are the variables that net.profile sets.
var profiled = []string{"net.moves", "net.rate", "net.size"}

// changes returns the changes from one set of values to another, in the order to apply them. After
// a change of net.profile, they set the variables that net.profile sets again.
func changes(before, after map[string]string) (all []change) {
	for _, name := range sorted(before) {
		if _, ok := after[name]; !ok {
			all = append(all, change{name: name, reset: true})
		}
	}
	profile := before[profileVar] != after[profileVar]
	for _, name := range sorted(after) {
		old, ok := before[name]
		if !ok || old != after[name] || profile && slices.Contains(profiled, name) {
			all = append(all, change{name: name, text: after[name]})
		}
	}
	return all
}

// sorted returns the names of variables in the order to set them. net.profile sets others, so it is
// first.
func sorted(values map[string]string) []string {
	names := slices.Sorted(maps.Keys(values))
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Count(b, profileVar) - strings.Count(a, profileVar)
	})
	return names
}

// apply applies the changes of the settings o. If one is wrong, it restores all values. Settings of
// mods come last, because they call the mods.
func (l *live) apply(all []change, o *config.Server) error {
	before, file := map[string]string{}, l.server.Settings.PasswordFile()
	var ofMods, later []change
	var wrong []error
	for _, c := range all {
		if _, v := l.server.Console().Lookup(c.name); v == nil && l.server.CanDeclare(c.name) {
			later = append(later, c)
			continue
		}
		ofMod, err := l.server.Console().Check(c.name, c.text)
		if ofMod && (err == nil || c.reset) {
			ofMods = append(ofMods, c)
			continue
		}
		old := l.values(c.name)
		if err == nil {
			err = l.set(c)
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		maps.Copy(old, before) // the first value counts
		before = old
	}
	if len(wrong) > 0 {
		return errors.Join(append(wrong, l.restore(before, file))...)
	}
	for name := range before {
		l.keep(name)
	}
	for _, c := range ofMods {
		if err := l.set(c); err != nil { // another mod removed it when it was called
			l.log.Warn(err.Error())
		}
		l.keep(c.name)
	}
	for _, c := range later {
		l.expect(c, o)
	}
	return nil
}

// set applies a change of a variable.
func (l *live) set(c change) error {
	if c.reset {
		return l.server.Console().Reset(c.name)
	}
	if c.name == passwordVar {
		return l.setPassword(c.text, "")
	}
	return l.server.Console().Set(c.name, c.text)
}

func (l *live) setPassword(text, file string) error {
	if err := l.server.Settings.SetPassword(text, file); err != nil {
		return fmt.Errorf("%s %w", passwordVar, err)
	}
	return nil
}

// values returns the values of a variable and of those that it sets.
func (l *live) values(name string) map[string]string {
	names, all := []string{name}, map[string]string{}
	if name == profileVar {
		names = append(names, profiled...)
	}
	for _, name := range names {
		if _, v := l.server.Console().Lookup(name); v != nil {
			all[name] = l.value(v)
		}
	}
	return all
}

// restore sets variables to their values before a reload. file is the file that the password came
// from.
func (l *live) restore(values map[string]string, file string) error {
	var wrong []error
	for _, name := range sorted(values) {
		if name == passwordVar {
			wrong = append(wrong, l.setPassword(values[name], file))
		} else {
			wrong = append(wrong, l.server.Console().Set(name, values[name]))
		}
	}
	return errors.Join(wrong...)
}

// expect keeps the value of a variable for a mod that is not loaded.
func (l *live) expect(c change, o *config.Server) {
	if c.reset {
		l.server.Settings.Unexpect(c.name)
		return
	}
	l.server.Settings.Expect(c.name, c.text)
	l.log.Warn(o.VarsFrom + ": [vars] " + c.name + " has no effect yet: " + l.server.Console().Set(c.name, c.text).Error())
}

// variables are the values that the settings give to variables.
func variables(o *config.Server) map[string]string {
	all := map[string]string{"sv.name": o.Name, passwordVar: o.Password, "sv.maxClients": strconv.Itoa(o.MaxClients)}
	if o.Bots != nil {
		all["sv.bots"] = strconv.Itoa(*o.Bots)
	}
	if o.Public {
		all["sv.public"] = "true"
	}
	for _, v := range o.Vars {
		if o.Overridden(v.Name) == "" && v.Name != passwordVar {
			all[v.Name] = v.Value
		}
	}
	return all
}

// needRestart returns the names of changed settings that only a start applies.
func needRestart(old, now *config.Server) (names []string) {
	applied := []string{"name", "password", "max-clients", "bots", "public", "log-level"}
	for i, s := range now.Settings {
		if s.Value != old.Settings[i].Value && !slices.Contains(applied, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// save writes the changed variables into the configuration file. It returns one line for each.
func (l *live) save() (string, error) {
	path := l.read.VarsFrom
	if l.server == nil {
		return "", errStarting
	}
	if path == "" {
		return "", errors.New("there is no configuration file: start the server with --config FILE")
	}
	var changes []config.Change
	var lines []string
	for _, v := range l.changed() {
		switch {
		case v.Name == passwordVar:
			change, line, err := l.password(v)
			if err != nil {
				return "", err
			}
			changes, lines = append(changes, change...), append(lines, line)
		case v.Secret:
			lines = append(lines, v.Name+" is secret and is not saved")
		default:
			changes = append(changes, config.Change{Var: v.Name, Value: console.Any(v.Value)})
			lines = append(lines, v.Name+" = "+console.Show(v.Value))
		}
		if by := l.read.Overridden(v.Name); by != "" {
			lines = append(lines, v.Name+" has no effect at the next start: "+by+" overrides it")
		}
	}
	if len(lines) == 0 {
		return "no variable has changed", nil
	}
	if err := config.Save(path, changes); err != nil {
		return "", err
	}
	for _, c := range changes {
		l.keep(c.Var)
	}
	return strings.Join(lines, "\n"), nil
}

// changed returns the variables whose values are not those of the settings, without those whose
// values change by themselves.
func (l *live) changed() (all []*console.Var) {
	c := l.server.Console()
	for _, name := range c.Names() {
		_, v := c.Lookup(name)
		if v == nil || v.Passing {
			continue
		}
		if old, known := l.kept[name]; known && old != l.value(v) || !known && c.Changed(name) {
			all = append(all, v)
		}
	}
	return all
}

// password saves the password: as @FILE if it came from a file, or in the file that the
// configuration names. It never writes a password into the configuration.
func (l *live) password(v *console.Var) (change []config.Change, line string, err error) {
	text, file := l.server.Host().Admission.Password, l.server.Settings.PasswordFile()
	if file != "" || text == "" {
		return []config.Change{{Var: v.Name, Value: file}}, fmt.Sprintf("%s = %q", v.Name, file), nil
	}
	if file = l.read.PasswordFile(); file == "" {
		return nil, v.Name + " is not saved, because the configuration would show it: write it to a file and set sv.password @FILE", nil
	}
	if err := config.SavePassword(file, text); err != nil {
		return nil, "", fmt.Errorf("%s is not saved: %w", v.Name, err)
	}
	l.keep(v.Name)
	return nil, v.Name + " is saved in " + file, nil
}
