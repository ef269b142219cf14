package reference

import (
	"slices"
	"strings"
)

// console writes the commands and variables of the console. In Lua they are functions and fields of
// tables. Names that Lua already defines are skipped.
func (w *stubWriter) console() {
	taken := map[string]bool{}
	w.each("", KindFunction, func(e *Symbol) { taken[e.Name] = true })
	w.each("", KindValue, func(e *Symbol) { taken[e.Name] = true })
	tables := map[string]bool{} // the first words of dotted names
	for _, e := range slices.Concat(w.r.Commands, w.r.Variables) {
		if root, _, ok := strings.Cut(e.Name, "."); ok && !taken[root] {
			if !tables[root] {
				w.consoleTable(root)
			}
			tables[root] = true
		}
	}
	for _, e := range w.r.Variables {
		if root, name, ok := strings.Cut(e.Name, "."); ok && !taken[root] {
			w.line("\n---%s%s\n---@type any\n%s.%s = nil", e.Doc, realmNote(e.Realm), root, name)
		}
	}
	for _, e := range w.r.Commands {
		root, _, member := strings.Cut(e.Name, ".")
		if !taken[root] && (member || !tables[root]) {
			w.command(e)
		}
	}
}

// consoleTable writes the table for console names that begin with root and a dot. The table is
// callable if root is itself a command.
func (w *stubWriter) consoleTable(root string) {
	w.line("\n---@class %s_console", root)
	if slices.ContainsFunc(w.r.Commands, func(e ConsoleName) bool { return e.Name == root }) {
		w.line("---@overload fun(...: any): any")
	}
	w.line("%s = {}", root)
}

// command writes a console command as a Lua function.
func (w *stubWriter) command(e ConsoleName) {
	w.line("\n---%s%s", e.Doc, realmNote(e.Realm))
	w.line("---A mod needs the permission console.%s. At the console: %s", e.Name, strings.TrimSpace(e.Name+" "+e.Params))
	w.line("---@param ... any\n---@return any ...\nfunction %s(...) end", e.Name)
}
