package script

import (
	"log/slog"
	"strings"

	"github.com/torc-engine/torc/script/vm"
)

// maxLine is the maximum length of an output line, in bytes. The rest is cut off.
const maxLine = 8 << 10

// outputLib has the functions for printing and logging.
func outputLib() vm.Lib {
	return chapter("Output", []row{
		{"echo", "...: any", vm.Both, "Prints the values, joined by tabs, on the console.", echo},
		{"print", "...: any", vm.Both, "The same as echo.", echo},
		{"warn", "...: any", vm.Both, "Logs the values as a warning, with the mod and the line.", logger(slog.LevelWarn)},
		{"logError", "...: any", vm.Both, "Logs the values as an error, with the mod and the line.", logger(slog.LevelError)},
	})
}

func echo(a Call) int {
	if text := a.joinedText(); a.binding().output.allow(a, len(text)) {
		a.binding().scripts.echo(text)
	}
	return 0
}

func logger(level slog.Level) func(Call) int {
	return func(a Call) int {
		if text := a.joinedText(); a.binding().output.allow(a, len(text)) {
			a.binding().scripts.Log(level, text, "mod", a.Mod.Name, "at", strings.TrimSuffix(vm.CallerPosition(a.L, 1), ": "))
		}
		return 0
	}
}

// joinedText returns all arguments as text, separated by tabs.
func (a Call) joinedText() string {
	words := make([]string, a.N())
	size := 0
	for i := range words {
		words[i] = a.Mod.State.Text(a.L, a.Get(i+1))
		if size += len(words[i]); size > a.Longest() {
			a.ChargeString(size)
		}
	}
	text := strings.Join(words, "\t")
	a.Charge(len(text) / 64)
	return vm.ClipText(text, maxLine)
}
