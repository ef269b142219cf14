package config

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// verbs are the subcommands of torc mod, with their argument.
var verbs = []struct{ name, target string }{
	{"new", "NAME"}, {"check", "NAME|DIR"}, {"test", "NAME|DIR"}, {"debug", "NAME"}, {"docs", ""},
	{"pack", "NAME|DIR"}, {"install", "[FILE|URL#sha256=HEX]"}, {"list", ""},
}

// verb takes the verb, the second word of torc mod, from args.
func (o *Mod) verb(args []string) (rest []string, called string, err error) {
	var all []string
	for _, v := range verbs {
		all = append(all, v.name)
	}
	if len(args) > 0 && isHelp(args[0]) {
		return nil, "", flag.ErrHelp
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil, "", flags.Usagef("torc mod needs a command: %s", strings.Join(all, ", "))
	}
	if !slices.Contains(all, args[0]) {
		return nil, "", flags.Usagef("torc mod has no command %q; it has %s", args[0], strings.Join(all, ", "))
	}
	o.Verb = args[0]
	return args[1:], "mod " + o.Verb, nil
}

// take takes the argument of the verb.
func (o *Mod) take(words []string) ([]string, error) {
	for _, v := range verbs {
		if v.name != o.Verb || v.target == "" {
			continue
		}
		if len(words) == 0 && strings.HasPrefix(v.target, "[") {
			continue
		}
		if len(words) == 0 {
			return nil, flags.Usagef("torc mod %s needs the mod: torc mod %[1]s %s", v.name, v.target)
		}
		o.Target, words = words[0], words[1:]
	}
	return words, nil
}

func (*Mod) check() error { return nil }

// declare declares the flags of the verb. Without a verb it declares all of them, for the help.
func (o *Mod) declare(s *flags.Set) {
	of := func(verbs ...string) bool { return o.Verb == "" || slices.Contains(verbs, o.Verb) }
	if of("new") {
		s.StringVar(&o.Dir, "dir", ".", "`DIR`: new: the parent folder of the new mod")
	}
	if of("check", "test", "list") {
		s.BoolVar(&o.JSON, "json", false, "check, test, list: print one JSON object per line instead of text")
	}
	if of("check", "test", "pack", "install", "list") {
		s.StringVar(&o.ModsDir, "mods", "", "`DIR`: check, test, pack: an extra folder of mods beside the embedded ones; install, list: the folder (mods)")
	}
	if of("debug") {
		s.StringVar(&o.Data, "data", "", "`DIR`: debug: the data folder of the server")
	}
	if of("install") {
		s.BoolVar(&o.Replace, "replace", false, "install: replace an installed mod of the same name")
		s.BoolVar(&o.ReplaceStock, "replace-stock", false, "install: also install a mod that runs in place of a mod of torc, such as base")
	}
	if of("test") {
		s.Var(flags.Seed{To: &o.Seed}, "seed", "`N`: test: fixes every random choice (1)")
		s.Var(flags.List{To: &o.With, Sep: ","}, "mod", "`NAME`: test: load this mod and its dependencies besides, such as a game (repeatable)")
		s.Var(pattern{&o.Run}, "run", "`REGEXP`: test: run only the tests with matching names")
	}
	if of("docs") {
		o.Format = "md"
		s.Var(flags.Choice{To: &o.Format, Of: []string{"md", "json", "lua"}}, "format", "`md|json|lua`: docs: Markdown page, JSON data, or stubs for LuaLS")
	}
	if of("docs", "pack") {
		s.StringVar(&o.Out, "out", "", "`FILE`: docs: write to this file instead of stdout; pack: write to this file instead of NAME-VERSION.tar.gz")
	}
}

// pattern is a regular expression.
type pattern struct{ to **regexp.Regexp }

func (p pattern) String() string { return "" }
func (p pattern) Set(s string) error {
	re, err := regexp.Compile(s)
	if err != nil {
		return fmt.Errorf("is not a regular expression: %v", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	*p.to = re
	return nil
}
