package manual

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// demo has a flag of each kind, and texts that shells and man must not read as their own.
var demo = &Program{Name: "demo", Version: "1.2.3", About: "a program with don'ts", Commands: []Command{
	{Name: "run", Params: "HOST:PORT", Help: "run it: now", Flags: []Flag{
		{Name: "console", Param: "auto|tty", Help: "a prompt [or none]"}, {Name: "file", Param: "FILE", Help: "don't care"},
		{Name: "count", Param: "N", Help: "how many"}, {Name: "strict", Help: ".begins with a point"},
	}},
	{Name: "stop", Params: "all|one", Help: "stop it", Words: []string{"all", "one"}},
}}

func written(t *testing.T, format string) string {
	var b strings.Builder
	require.NoError(t, Write(&b, format, demo))
	return b.String()
}

func TestZsh(t *testing.T) {
	text := written(t, "zsh")
	assert.True(t, strings.HasPrefix(text, "#compdef demo\n"))
	for _, want := range []string{
		`'run:run it\: now'`, `'*--console[a prompt \[or none\]]:value:(auto tty)'`, `'*--file[don'\''t care]:FILE:_files'`,
		`'*--count[how many]:N: '`, `'*--strict[.begins with a point]'`, `'1:word:(all one)'`,
	} {
		assert.Contains(t, text, want)
	}
}

func TestFish(t *testing.T) {
	text := written(t, "fish")
	for _, want := range []string{
		`complete -c demo -n __fish_use_subcommand -f -a run -d 'run it: now'`,
		`complete -c demo -n '__fish_seen_subcommand_from run' -l console -x -a 'auto tty' -d 'a prompt [or none]'`,
		`-l file -r -d 'don\'t care'`, `-l count -x -d`, `-l strict -d`,
		`complete -c demo -n '__fish_seen_subcommand_from stop' -f -a 'all one'`,
	} {
		assert.Contains(t, text, want)
	}
}

func TestPage(t *testing.T) {
	text := written(t, "man")
	for _, want := range []string{
		".TH DEMO 1 \"\" \"demo 1.2.3\"\n", ".SS demo run HOST:PORT\nRun it: now.\n", ".B \\-\\-console auto|tty\nA prompt [or none].\n",
		".B \\-\\-strict\n\\&.begins with a point.\n",
	} {
		assert.Contains(t, text, want)
	}
}

func TestFormats(t *testing.T) {
	for _, format := range Formats {
		assert.Equal(t, written(t, format), written(t, format))
	}
	assert.EqualError(t, Write(&strings.Builder{}, "csh", demo), "must be one of bash, zsh, fish, man")
}
