package bind

import (
	"strings"
	"unicode/utf8"
)

// A node is a value to print: a word, or a table with its entries.
type node struct {
	name   string // the key; "" in the list part of a table
	text   string
	table  bool
	fields []node
	rest   string // stands for what is not printed
}

// line returns the node on one line.
func (n *node) line() string {
	var b strings.Builder
	n.writeLine(&b)
	return b.String()
}

func (n *node) writeLine(b *strings.Builder) {
	if n.name != "" {
		b.WriteString(n.name + " = ")
	}
	b.WriteString(n.text)
	if !n.table {
		return
	}
	b.WriteByte('{')
	for i := range n.fields {
		if i > 0 {
			b.WriteString(", ")
		}
		n.fields[i].writeLine(b)
	}
	if n.rest != "" {
		if len(n.fields) > 0 {
			b.WriteString(", ")
		}
		b.WriteString(n.rest)
	}
	b.WriteByte('}')
}

// write prints a table on one line if it fits, else with one entry per line.
func (n *node) write(b *strings.Builder, indent string) {
	text := n.line()
	if len(n.fields) == 0 || utf8.RuneCountInString(indent+text) <= width {
		b.WriteString(text)
		return
	}
	if n.name != "" {
		b.WriteString(n.name + " = ")
	}
	b.WriteString("{\n")
	for i := range n.fields {
		b.WriteString(indent + "  ")
		n.fields[i].write(b, indent+"  ")
		b.WriteString(",\n")
	}
	if n.rest != "" {
		b.WriteString(indent + "  " + n.rest + "\n")
	}
	b.WriteString(indent + "}")
}
