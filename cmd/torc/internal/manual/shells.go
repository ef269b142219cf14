package manual

import (
	"fmt"
	"strings"
)

// bash writes a completion function for bash. A word after a flag with a value completes that
// value.
func bash(p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# bash completion of %s\n_%[1]s() {\n", p.Name)
	b.WriteString("  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n")
	fmt.Fprintf(&b, "  if [ \"$COMP_CWORD\" = 1 ]; then\n    words=%s\n  else case ${COMP_WORDS[1]} in\n", quoted(strings.Join(append(p.names(), "help"), " ")))
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "  %s)\n    case $before in\n", c.Name)
		for _, f := range c.Flags {
			switch {
			case f.places():
				fmt.Fprintf(&b, "    --%s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", f.Name)
			case f.choices() != nil:
				fmt.Fprintf(&b, "    --%s) COMPREPLY=($(compgen -W %s -- \"$word\")); return ;;\n", f.Name, quoted(strings.Join(f.choices(), " ")))
			case f.Param != "":
				fmt.Fprintf(&b, "    --%s) return ;;\n", f.Name)
			}
		}
		fmt.Fprintf(&b, "    esac\n    words=%s ;;\n", quoted(strings.Join(append(c.Words, c.flags()...), " ")))
	}
	fmt.Fprintf(&b, "  help) words=%s ;;\n  esac; fi\n", quoted(strings.Join(p.names(), " ")))
	b.WriteString("  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n")
	fmt.Fprintf(&b, "}\ncomplete -o default -F _%s %[1]s\n", p.Name)
	return b.String()
}

// flags returns the flags with their dashes.
func (c *Command) flags() (list []string) {
	for _, f := range c.Flags {
		list = append(list, "--"+f.Name)
	}
	return list
}

// zsh writes a completion function for zsh.
func zsh(p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\n_%[1]s() {\n  local -a commands\n  commands=(\n", p.Name)
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "    %s\n", quoted(c.Name+":"+strings.ReplaceAll(c.Help, ":", `\:`)))
	}
	b.WriteString("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  shift words; (( CURRENT-- ))\n  case $words[1] in\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "  %s)\n    _arguments", c.Name)
		if c.Words != nil {
			fmt.Fprintf(&b, " \\\n      %s", quoted("1:word:("+strings.Join(c.Words, " ")+")"))
		}
		for _, f := range c.Flags {
			fmt.Fprintf(&b, " \\\n      %s", quoted(f.zsh()))
		}
		b.WriteString(" \\\n      '*:file:_files' ;;\n")
	}
	fmt.Fprintf(&b, "  esac\n}\n_%s \"$@\"\n", p.Name)
	return b.String()
}

// zshEscapes are the characters with a meaning in a specification of _arguments.
var zshEscapes = strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`)

// zsh returns the specification of a flag for _arguments.
func (f Flag) zsh() string {
	spec := "*--" + f.Name + "[" + zshEscapes.Replace(f.Help) + "]"
	switch {
	case f.places():
		spec += ":" + zshEscapes.Replace(f.Param) + ":_files"
	case f.choices() != nil:
		spec += ":value:(" + strings.Join(f.choices(), " ") + ")"
	case f.Param != "":
		spec += ":" + zshEscapes.Replace(f.Param) + ": "
	}
	return spec
}

// fish writes completions for fish.
func fish(p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion of %s\n", p.Name)
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -f -a %s -d %s\n", p.Name, c.Name, fishQuoted(c.Help))
		seen := fishQuoted("__fish_seen_subcommand_from " + c.Name)
		if c.Words != nil {
			fmt.Fprintf(&b, "complete -c %s -n %s -f -a %s\n", p.Name, seen, fishQuoted(strings.Join(c.Words, " ")))
		}
		for _, f := range c.Flags {
			fmt.Fprintf(&b, "complete -c %s -n %s -l %s%s -d %s\n", p.Name, seen, f.Name, f.fish(), fishQuoted(f.Help))
		}
	}
	return b.String()
}

// fish returns what fish must know of a flag's value.
func (f Flag) fish() string {
	switch {
	case f.places():
		return " -r"
	case f.choices() != nil:
		return " -x -a " + fishQuoted(strings.Join(f.choices(), " "))
	case f.Param != "":
		return " -x"
	}
	return ""
}

// fishQuoted puts a text in single quotes for fish.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
