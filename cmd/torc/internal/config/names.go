package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/internal/spell"
)

// settingNames returns the names that the environment and the file can set, sorted. One file can
// configure several subcommands.
func settingNames() (names []string) {
	for _, o := range []Options{new(Serve), new(Play), new(Join), new(Swarm)} {
		set := flags.New("torc")
		o.declare(set)
		names = append(names, set.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Misnamed checks the names in an environment (os.Environ). A variable TORC_… whose name is nearly
// that of a setting is an error. Other unknown TORC_… variables are warnings: service managers
// set variables with the name of a service as the prefix.
func Misnamed(environ []string) (warnings []string, err error) {
	known := settingNames()
	var variables []string
	for _, name := range known {
		variables = append(variables, envName(name))
	}
	for _, line := range environ {
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, "TORC_") || slices.Contains(variables, name) {
			continue
		}
		near := spell.Nearest(name, variables)
		if short := len(name) - len("TORC_"); near != "" && spell.Distance(name, near) <= 1+short/6 {
			return nil, flags.Usagef("the environment variable %s is not a setting, did you mean %s?", name, near)
		}
		warnings = append(warnings, fmt.Sprintf("the environment variable %s is not a setting and has no effect", name))
	}
	return warnings, nil
}

// Warn checks the names in an environment (os.Environ) for options that read it, and keeps the
// warnings.
func Warn(o Options, environ []string) (err error) {
	if c, is := o.(configured); is {
		c.sources().Warnings, err = Misnamed(environ)
	}
	return err
}
