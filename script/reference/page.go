package reference

import (
	"fmt"
	"strings"
)

const pageHead = `# The API of mods

` + "`torc mod docs`" + ` generates this page from the tables in script. In the column "realm", S means the server and C means the client.

Signatures name each parameter and its type. Parameters in brackets are optional.

* ` + "`T?`" + ` is T or nil.
* ` + "`a|b`" + ` is a or b.
* ` + "`T[]`" + ` is a list of T.
* ` + "`{name: T}`" + ` is a table with these fields.
* ` + "`Object`, `Group`, `Client` and `Datablock`" + ` are objects of the classes SimObject, SimSet, GameConnection and SimDataBlock.

The chapters of classes list callbacks such as ` + "`function Player:onDamage(…)`" + `. A class declared in Lua can define them.
A datablock can define them too; it receives the object as its first argument: ` + "`function Armor:onDamage(player, …)`" + `.
`

// Markdown writes the reference as the page mods/API.md.
func (r *Model) Markdown() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, c := range r.Chapters {
		fmt.Fprintf(&b, "\n## %s\n\n", c.Name)
		if class := r.Class(strings.Fields(strings.TrimPrefix(c.Name, "Class ") + ",")[0]); class != nil && class.Doc != "" {
			fmt.Fprintf(&b, "%s\n\n", class.Doc)
		}
		b.WriteString("| call | realm | meaning |\n|---|---|---|\n")
		for _, e := range c.Entries {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", cell(e.Call), e.Realm, cell(e.Doc))
		}
	}
	writeNamed(&b, "Commands of the console", r.Commands)
	writeNamed(&b, "Variables of the console", r.Variables)
	return b.String()
}

// Class finds a class by its name and ignores a trailing comma. It returns nil if there is none.
func (r *Model) Class(name string) *Class {
	name = strings.TrimRight(name, ",")
	for i := range r.Classes {
		if r.Classes[i].Name == name {
			return &r.Classes[i]
		}
	}
	return nil
}

func writeNamed(b *strings.Builder, title string, list []ConsoleName) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| name | realm | meaning |\n|---|---|---|\n", title)
	for _, e := range list {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", cell(strings.TrimSpace(e.Name+" "+e.Params)), e.Realm, cell(e.Doc))
	}
}

// cell escapes a text for a table cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
