package script

import (
	"log/slog"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxLine is the maximum length of an output line, in bytes. The rest is cut off.
const maxLine = 8 << 10

// outputLib has the functions for printing and logging.
func outputLib() Lib {
	return Lib{"Output", []Func{
		{"echo", "...: any", Both, "Prints the values, joined by tabs, on the console.", echo},
		{"print", "...: any", Both, "The same as echo.", echo},
		{"warn", "...: any", Both, "Logs the values as a warning, with mod and line.", logger(slog.LevelWarn)},
		{"logError", "...: any", Both, "Logs the values as an error, with mod and line.", logger(slog.LevelError)},
	}}
}

func echo(a Args) int {
	if text := a.joined(); a.ext().output.take(a, len(text)) {
		a.ext().scripts.echo(text)
	}
	return 0
}

func logger(level slog.Level) func(Args) int {
	return func(a Args) int {
		if text := a.joined(); a.ext().output.take(a, len(text)) {
			a.ext().scripts.log(level, text, "mod", a.Mod.Name, "at", strings.TrimSuffix(where(a.L, 1), ": "))
		}
		return 0
	}
}

// joined returns all arguments as text, separated by tabs.
func (a Args) joined() string {
	words := make([]string, a.N())
	size := 0
	for i := range words {
		words[i] = a.Mod.State.Text(a.L, a.Get(i+1))
		if size += len(words[i]); size > a.longest() {
			a.room(size)
		}
	}
	text := strings.Join(words, "\t")
	a.Charge(len(text) / 64)
	return brief(text, maxLine)
}

// textOf returns a value's text for messages, without running Lua.
func textOf(v lua.LValue) string {
	if u, ok := v.(*lua.LUserData); ok {
		if t, ok := u.Value.(tag); ok {
			return t.value.Text()
		}
	}
	return plain(v)
}
