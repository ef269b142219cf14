package dissect

import (
	"fmt"
	"strconv"
	"strings"
)

const maxString = 32 << 10

// argKinds are the kinds of arguments, by their codes.
var argKinds = [...]string{"nil", "false", "true", "whole", "number", "string", "tag", "vector", "rotation",
	"object", "block", "yourBlock", "yourObject", "client"}

// command is a remote call.
type command struct {
	name tag
	args []argument
}

// argument is an argument of a command.
type argument struct {
	kind  string
	value any // of a tag: the tag; of a client: the tag with its name
}

// command reads a command.
func (t *trace) command() *command {
	c := &command{name: t.tag("name")}
	n := t.ranged("arguments", 0, 20)
	for i := 0; i < n && t.ok(); i++ {
		name := "argument." + strconv.Itoa(i) + ".kind"
		kind := t.ranged(name, 0, len(argKinds)-1)
		if t.ok() {
			t.fields[len(t.fields)-1].Means = argKinds[kind]
		}
		c.args = append(c.args, argument{kind: argKinds[kind]})
	}
	for i := range c.args {
		leave := t.within("argument." + strconv.Itoa(i))
		c.args[i].value = t.argument(c.args[i].kind)
		leave()
	}
	return c
}

// argument reads the value of an argument.
func (t *trace) argument(kind string) any {
	switch kind {
	case "false", "true":
		return kind == "true"
	case "whole":
		negative, v := t.flag("negative"), int64(0)
		if v = int64(t.varint("value")); negative {
			v = -v
		}
		return v
	case "number":
		return number(t.float("value"))
	case "string":
		return t.text("value", maxString)
	case "tag":
		return t.tag("value")
	case "vector", "rotation":
		parts := vectorParts
		if kind == "rotation" {
			parts = rotationParts
		}
		var v [3]any
		for i, part := range parts {
			v[i] = number(t.float(part))
		}
		return v
	case "object", "block", "yourBlock", "yourObject":
		return t.varint("value")
	case "client":
		t.varint("id")
		return t.tag("name")
	}
	return nil
}

// call resolves the tags of a command for its receiver.
func (r *reading) call(c *command, p *Processed) {
	p.Name = r.resolve(c.name)
	var texts []string
	for _, a := range c.args {
		arg := Arg{a.kind, a.value}
		switch v := a.value.(type) {
		case tag:
			text := r.resolve(v)
			arg.Value = printable(text)
			texts = append(texts, a.kind+" "+strconv.Quote(text))
		case string:
			arg.Value = printable(v)
			texts = append(texts, strconv.Quote(v))
		case nil:
			texts = append(texts, "nil")
		case uint64:
			texts = append(texts, fmt.Sprintf("%s %d", a.kind, v))
		default:
			texts = append(texts, fmt.Sprint(v))
		}
		p.Args = append(p.Args, arg)
	}
	p.Text = fmt.Sprintf("%s(%s)", p.Name, strings.Join(texts, ", "))
}
