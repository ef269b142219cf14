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

// modCommands are the console commands about mods.
type modCommands struct{ scripts *Scripts }

// list returns the console commands for managing mods. `mod X args` runs `mod.X args` for
// every registered command of that form.
func (c *modCommands) list() []console.Command {
	return []console.Command{
		{Name: "mods", Help: "lists the mods in load order: NAME VERSION STATE [PERMISSIONS over other mods]; then the mods that could not be loaded", Run: c.listMods},
		{Name: "mod", Params: "COMMAND ...", Help: "runs a mod command: mod reload ctf is mod.reload ctf", Run: c.dispatch, Complete: c.completeMod},
		{Name: "mod.reload", Params: "NAME [--untested]", Help: "reloads a mod's files in the running game; after an error the old files stay loaded; --untested skips the tests of the mod", Run: c.reloadCommand, Complete: c.completeLoaded},
		{Name: "mod.enable", Params: "NAME [--untested]", Help: "loads a mod, or resumes a suspended mod; --untested skips the tests of the mod", Run: c.enableCommand, Complete: c.completeInstalled},
		{Name: "mod.disable", Params: "NAME", Help: "unloads a mod", Run: c.disableCommand, Complete: c.completeLoaded},
		{Name: "mod.info", Params: "NAME", Help: "shows a mod's description, permissions and usage", Run: c.info, Complete: c.completeInstalled},
	}
}

// listMods implements `mods`.
func (c *modCommands) listMods([]string) (string, error) {
	var lines []string
	for _, name := range c.scripts.mods.current() {
		manifest, state := c.scripts.mods.disabled[name], "disabled"
		if m := c.scripts.Runtime.Mod(name); m != nil {
			manifest, state = manifestOf(m), stateText(m)
		}
		if manifest.Replaces != "" {
			state += ", in place of " + manifest.Replaces
		}
		lines = append(lines, fmt.Sprintf("%s %s %s%s", name, manifest.Version, state, c.scripts.permissions.modPermissions(manifest)))
	}
	return strings.Join(append(lines, c.scripts.mods.notLoadedLines()...), "\n"), nil
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

// dispatch implements `mod X args`.
func (c *modCommands) dispatch(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: mod COMMAND ..., where COMMAND is " + strings.Join(c.words(), ", "))
	}
	name := "mod." + args[0]
	switch command, variable := c.scripts.console.Lookup(name); {
	case command != nil:
		return c.scripts.console.Call(name, args[1:])
	case variable != nil && len(args) == 1:
		return console.Show(variable.Value), nil
	case variable != nil:
		return "", c.scripts.console.Set(name, strings.Join(args[1:], " "))
	}
	return "", fmt.Errorf("unknown command %s; available are %s", "mod "+console.Quote(args[0]), strings.Join(c.words(), ", "))
}

// words lists the words that can follow mod.
func (c *modCommands) words() []string {
	var words []string
	for _, name := range c.scripts.console.Names() {
		word, ok := strings.CutPrefix(name, "mod.")
		if command, _ := c.scripts.console.Lookup(name); ok && (command != nil || word == "watch") {
			words = append(words, word)
		}
	}
	return words
}

func (c *modCommands) completeMod(args []string) []string {
	if len(args) == 1 {
		return c.words()
	}
	switch command, variable := c.scripts.console.Lookup("mod." + args[0]); {
	case command != nil && command.Complete != nil:
		return command.Complete(args[1:])
	case variable != nil:
		if chosen, ok := variable.Value.(console.ChoiceValue); ok && len(args) == 2 {
			return chosen.Choices()
		}
	}
	return nil
}

func (c *modCommands) completeLoaded(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.scripts.mods.order), func(name string) bool { return c.scripts.Runtime.Mod(name) == nil })
}

func (c *modCommands) completeInstalled(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	installed, _ := manifest.Discover(c.scripts.mods.folders...)
	return manifest.Names(installed)
}

// modArgument returns the argument of a command that takes one mod.
func modArgument(command string, args []string) (string, error) {
	if len(args) != 1 {
		return "", fmt.Errorf("usage: %s NAME", command)
	}
	return args[0], nil
}

// untestedFlag makes `mod reload` and `mod enable` skip the tests of the mod, never the trial load.
const untestedFlag = "--untested"

// reloadCommand implements `mod reload NAME`.
func (c *modCommands) reloadCommand(args []string) (string, error) {
	name, untested, err := trialArguments("mod reload", args)
	if err != nil {
		return "", err
	}
	soon := name + " is reloaded before the next tick"
	if c.scripts.reloads.runTests != nil {
		soon = name + trialText(untested) + "reloaded"
	}
	return c.answerWhenDone(soon, func(done func(string, error)) { c.scripts.reloads.reload(name, untested, done) })
}

// trialArguments reads NAME [--untested].
func trialArguments(command string, args []string) (name string, untested bool, err error) {
	names := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == untestedFlag })
	if len(names) != 1 || len(args) > 2 {
		return "", false, fmt.Errorf("usage: %s NAME [%s]", command, untestedFlag)
	}
	return names[0], len(args) == 2, nil
}

func trialText(untested bool) string {
	if untested {
		return " is loaded beside the game first, then "
	}
	return " is tested first, then "
}

// enableCommand implements `mod enable NAME`.
func (c *modCommands) enableCommand(args []string) (string, error) {
	name, untested, err := trialArguments("mod enable", args)
	if err != nil {
		return "", err
	}
	soon := name + " is enabled before the next tick"
	if m := c.scripts.Runtime.Mod(name); c.scripts.reloads.runTests != nil && (m == nil || m.Emptied()) {
		soon = name + trialText(untested) + "enabled"
	}
	return c.answerWhenDone(soon, func(done func(string, error)) {
		c.scripts.reloads.whenIdle(func() { c.scripts.reloads.enable(name, untested, done) })
	})
}

// answerWhenDone starts something and returns its result. If that is not available immediately,
// answerWhenDone returns the text soon, and the result answers the line of another process or is
// printed later.
func (c *modCommands) answerWhenDone(soon string, start func(done func(string, error))) (string, error) {
	var text string
	var err error
	said, answer := false, (func(string, error))(nil)
	start(func(result string, failed error) {
		if answer != nil {
			answer(result, failed)
			return
		}
		text, err, said = result, failed, true
	})
	if said {
		return text, err
	}
	answer = c.scripts.screen.printOutcome
	if c.scripts.reloads.answerLater != nil {
		if later := c.scripts.reloads.answerLater(); later != nil {
			answer = later
		}
	}
	return soon, nil
}

func (c *modCommands) disableCommand(args []string) (string, error) {
	name, err := modArgument("mod disable", args)
	if err != nil {
		return "", err
	}
	return c.runBetweenTicks(name+" is disabled before the next tick", func() (string, error) {
		if err := c.scripts.Disable(name); err != nil {
			return "", err
		}
		return name + " is disabled", nil
	})
}

// runBetweenTicks runs do between ticks. If that is not possible now, it returns the text soon and
// prints the result later.
func (c *modCommands) runBetweenTicks(soon string, do func() (string, error)) (string, error) {
	if c.scripts.Runtime.Depth() == 0 {
		return do()
	}
	c.scripts.reloads.whenIdle(func() { c.scripts.screen.printOutcome(do()) })
	return soon, nil
}

func (c *modCommands) info(args []string) (string, error) {
	name, err := modArgument("mod info", args)
	if err != nil {
		return "", err
	}
	m := c.scripts.Runtime.Mod(name)
	if m != nil && manifestOf(m) != nil {
		return strings.Join(append(c.manifestLines(manifestOf(m), stateText(m)), c.instanceLines(m)...), "\n"), nil
	}
	about, state := c.scripts.mods.disabled[name], "disabled"
	if about == nil {
		if about, err = manifest.Newest(name, c.scripts.mods.folders); err != nil {
			return "", err
		}
		if state = c.scripts.mods.whyNotLoaded(name); state == "" {
			state = "not loaded"
		}
	}
	return strings.Join(c.manifestLines(about, state), "\n"), nil
}

// manifestLines describes a mod by its manifest.
func (c *modCommands) manifestLines(m *manifest.Manifest, state string) []string {
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
		permissions = append(permissions, c.scripts.permissions.permissionText(m.Name, p))
	}
	add("permissions", strings.Join(permissions, ", "))
	add("needed by", strings.Join(c.scripts.mods.dependents(m.Name), ", "))
	return lines
}

// instanceLines describes the contents and resource usage of a loaded mod.
func (c *modCommands) instanceLines(m *vm.Mod) []string {
	x := instanceOf(m)
	var exports []string
	for name := range x.exports {
		exports = append(exports, name)
	}
	slices.Sort(exports)
	var lines []string
	for _, row := range []struct{ what, text string }{
		{"exports", strings.Join(exports, ", ")},
		{"console", strings.Join(c.scripts.settings.namesOf(m), ", ")},
		{"has", strings.Join([]string{
			countText(len(m.Files()), "file"), countText(c.scripts.objects.counts[m.Name], "object"), countText(len(x.values.DeclaredTags), "tag"),
			countText(c.scripts.engine.Schedule().OfMod(m.Owner()), "timer"), countText(c.scripts.chains.overridesOf(m), "override"),
		}, ", ")},
		{"since the start", fmt.Sprintf("%s, %d instructions, %v", countText(m.Faults(), "fault"), m.Usage.Instructions, m.Usage.Time)},
	} {
		if row.text != "" {
			lines = append(lines, "  "+row.what+" "+row.text)
		}
	}
	return lines
}
