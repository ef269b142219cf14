package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// modCommands returns the console commands for managing mods. `mod X args` runs `mod.X args` for
// every registered command of that form.
func (s *Scripts) modCommands() []console.Command {
	return []console.Command{
		{Name: "mods", Help: "lists the mods in load order: NAME VERSION STATE [PERMISSIONS over other mods]; then the mods that could not be loaded", Run: s.listMods},
		{Name: "mod", Params: "COMMAND ...", Help: "runs a mod command: mod reload ctf is mod.reload ctf", Run: s.modDispatch, Complete: s.completeMod},
		{Name: "mod.reload", Params: "NAME", Help: "reloads a mod's files in the running game; after an error the old files stay loaded", Run: s.reloadCommand, Complete: s.completeLoaded},
		{Name: "mod.enable", Params: "NAME", Help: "loads a mod, or resumes a suspended mod", Run: s.enableCommand, Complete: s.completeInstalled},
		{Name: "mod.disable", Params: "NAME", Help: "unloads a mod", Run: s.disableCommand, Complete: s.completeLoaded},
		{Name: "mod.info", Params: "NAME", Help: "shows a mod's description, permissions and usage", Run: s.infoCommand, Complete: s.completeInstalled},
	}
}

// listMods implements `mods`.
func (s *Scripts) listMods([]string) (string, error) {
	var lines []string
	for _, name := range s.currentRoster() {
		manifest, state := s.disabled[name], "disabled"
		if m := s.Runtime.Mod(name); m != nil {
			manifest, state = manifestOf(m), stateText(m)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s%s", name, manifest.Version, state, s.modPermissions(manifest)))
	}
	return strings.Join(append(lines, s.notLoadedLines()...), "\n"), nil
}

// modPermissions returns what a mod may do to others, " [mod.delete]", or "".
func (s *Scripts) modPermissions(m *manifest.Manifest) string {
	var may []string
	for _, p := range m.Permissions {
		if slices.Contains(manifest.ModPermissions, p) {
			may = append(may, s.permissionText(m.Name, p))
		}
	}
	if len(may) == 0 {
		return ""
	}
	slices.Sort(may)
	return " [" + strings.Join(may, ", ") + "]"
}

// permissionText returns a permission, and whether the operator lets the mod have it.
func (s *Scripts) permissionText(mod, permission string) string {
	switch {
	case s.granted(mod, permission):
		return permission
	case slices.Contains(manifest.ModPermissions, permission):
		return permission + " (revoked)"
	}
	return permission + " (not granted)"
}

// stateText describes the state of a loaded mod.
func stateText(m *vm.Mod) string {
	if why := m.Suspended(); why != "" {
		return "suspended: " + why
	}
	switch n := len(m.SuspendedHandlers()); {
	case n == 1:
		return fmt.Sprintf("on, but 1 handler is suspended (see mod faults %s)", m.Name)
	case n > 1:
		return fmt.Sprintf("on, but %d handlers are suspended (see mod faults %s)", n, m.Name)
	}
	return "on"
}

// modDispatch implements `mod X args`.
func (s *Scripts) modDispatch(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: mod COMMAND ..., where COMMAND is " + strings.Join(s.modSubcommands(), ", "))
	}
	name := "mod." + args[0]
	switch command, variable := s.console.Lookup(name); {
	case command != nil:
		return s.console.Call(name, args[1:])
	case variable != nil && len(args) == 1:
		return console.Show(variable.Value), nil
	case variable != nil:
		return "", s.console.Set(name, strings.Join(args[1:], " "))
	}
	return "", fmt.Errorf("unknown command %s; available are %s", "mod "+console.Quote(args[0]), strings.Join(s.modSubcommands(), ", "))
}

// modSubcommands lists the words that can follow mod.
func (s *Scripts) modSubcommands() []string {
	var words []string
	for _, name := range s.console.Names() {
		word, ok := strings.CutPrefix(name, "mod.")
		if command, _ := s.console.Lookup(name); ok && (command != nil || word == "watch") {
			words = append(words, word)
		}
	}
	return words
}

func (s *Scripts) completeMod(args []string) []string {
	if len(args) == 1 {
		return s.modSubcommands()
	}
	switch command, variable := s.console.Lookup("mod." + args[0]); {
	case command != nil && command.Complete != nil:
		return command.Complete(args[1:])
	case variable != nil:
		if chosen, ok := variable.Value.(console.ChoiceValue); ok && len(args) == 2 {
			return chosen.Choices()
		}
	}
	return nil
}

func (s *Scripts) completeLoaded(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.roster), func(name string) bool { return s.Runtime.Mod(name) == nil })
}

func (s *Scripts) completeInstalled(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	installed, _ := manifest.Discover(s.folders...)
	return manifest.Names(installed)
}

// modArgument returns the argument of a command that takes one mod.
func modArgument(command string, args []string) (string, error) {
	if len(args) != 1 {
		return "", fmt.Errorf("usage: %s NAME", command)
	}
	return args[0], nil
}

// reloadCommand implements `mod reload NAME`. A result that is not available immediately answers the line
// of another process, or is printed later.
func (s *Scripts) reloadCommand(args []string) (string, error) {
	name, err := modArgument("mod reload", args)
	if err != nil {
		return "", err
	}
	var text string
	said, answer := false, (func(string, error))(nil)
	s.reload(name, func(result string, failed error) {
		if answer != nil {
			answer(result, failed)
			return
		}
		text, err, said = result, failed, true
	})
	if said {
		return text, err
	}
	answer = s.printOutcome
	if s.answerLater != nil {
		if later := s.answerLater(); later != nil {
			answer = later
		}
	}
	if s.runTests != nil {
		return name + " is tested first, then reloaded", nil
	}
	return name + " is reloaded before the next tick", nil
}

func (s *Scripts) enableCommand(args []string) (string, error) {
	name, err := modArgument("mod enable", args)
	if err != nil {
		return "", err
	}
	return s.runBetweenTicks(name+" is enabled before the next tick", func() (string, error) {
		if m := s.Runtime.Mod(name); m != nil && manifestOf(m) != nil && stateText(m) == "on" {
			return name + " is on", nil
		}
		if err := s.Enable(name); err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s is on", name, manifestOf(s.Runtime.Mod(name)).Version), nil
	})
}

func (s *Scripts) disableCommand(args []string) (string, error) {
	name, err := modArgument("mod disable", args)
	if err != nil {
		return "", err
	}
	return s.runBetweenTicks(name+" is disabled before the next tick", func() (string, error) {
		if err := s.Disable(name); err != nil {
			return "", err
		}
		return name + " is disabled", nil
	})
}

// runBetweenTicks runs do between ticks. If that is not possible now, it returns the text soon and prints
// the result later.
func (s *Scripts) runBetweenTicks(soon string, do func() (string, error)) (string, error) {
	if s.Runtime.Depth() == 0 {
		return do()
	}
	s.whenIdle(func() { s.printOutcome(do()) })
	return soon, nil
}

func (s *Scripts) infoCommand(args []string) (string, error) {
	name, err := modArgument("mod info", args)
	if err != nil {
		return "", err
	}
	m := s.Runtime.Mod(name)
	if m != nil && manifestOf(m) != nil {
		return strings.Join(append(s.manifestLines(manifestOf(m), stateText(m)), s.instanceLines(m)...), "\n"), nil
	}
	about, state := s.disabled[name], "disabled"
	if about == nil {
		if about, err = manifest.Newest(name, s.folders); err != nil {
			return "", err
		}
		if state = s.whyNotLoaded(name); state == "" {
			state = "not loaded"
		}
	}
	return strings.Join(s.manifestLines(about, state), "\n"), nil
}

// manifestLines describes a mod by its manifest.
func (s *Scripts) manifestLines(m *manifest.Manifest, state string) []string {
	lines := []string{fmt.Sprintf("%s %s %s", m.Name, m.Version, state)}
	add := func(what, text string) {
		if text != "" {
			lines = append(lines, "  "+what+" "+console.Clean(text))
		}
	}
	add("description", m.Description)
	add("depends on", manifest.JoinTexts(m.Depends))
	add("uses", manifest.JoinTexts(m.Optional))
	add("conflicts with", manifest.JoinTexts(m.Conflicts))
	var permissions []string
	for _, p := range m.Permissions {
		permissions = append(permissions, s.permissionText(m.Name, p))
	}
	add("permissions", strings.Join(permissions, ", "))
	add("needed by", strings.Join(s.dependents(m.Name), ", "))
	return lines
}

// instanceLines describes the contents and resource usage of a loaded mod.
func (s *Scripts) instanceLines(m *vm.Mod) []string {
	x := instanceOf(m)
	var exports []string
	for name := range x.exports {
		exports = append(exports, name)
	}
	slices.Sort(exports)
	var lines []string
	for _, row := range []struct{ what, text string }{
		{"exports", strings.Join(exports, ", ")},
		{"console", strings.Join(s.consoleNames(m), ", ")},
		{"has", strings.Join([]string{
			countText(len(m.Files()), "file"), countText(s.objects[m.Name], "object"), countText(len(x.values.DeclaredTags), "tag"),
			countText(s.engine.Schedule().OfMod(m.Owner()), "timer"), countText(s.overridesOf(m), "override"),
		}, ", ")},
		{"since the start", fmt.Sprintf("%s, %d instructions, %v", countText(m.Faults(), "fault"), m.Usage.Instructions, m.Usage.Time)},
	} {
		if row.text != "" {
			lines = append(lines, "  "+row.what+" "+row.text)
		}
	}
	return lines
}

func (s *Scripts) overridesOf(m *vm.Mod) (n int) {
	for i := range s.overrides {
		if s.overrides[i].mod == m {
			n++
		}
	}
	return n
}
