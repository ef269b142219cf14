package config

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/spell"
)

// configured are the subcommands whose flags can be set in the environment and in the file.
var configured = []string{"serve", "play", "join", "swarm"}

// settingNames returns the names that the environment and the file can set, sorted. One file can
// configure several subcommands.
func settingNames() []string {
	var names []string
	for _, subcommand := range configured {
		names = append(names, flagNames(&Options{Subcommand: subcommand})...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// flagNames returns the names of the flags of o's subcommand.
func flagNames(o *Options) (names []string) {
	unused := *o // flags sets defaults
	flags(&unused).VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// suggestion returns ", did you mean NAME?" with the name closest to a misspelt one, or "".
func suggestion(prefix, name string, among []string) string {
	if near := spell.Nearest(name, among); near != "" {
		return ", did you mean " + prefix + near + "?"
	}
	return ""
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
			return nil, &UsageError{fmt.Sprintf("the environment variable %s is not a setting, did you mean %s?", name, near)}
		}
		warnings = append(warnings, fmt.Sprintf("the environment variable %s is not a setting and has no effect", name))
	}
	return warnings, nil
}
