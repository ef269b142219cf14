package json

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The costs of decoding, in instructions.
const (
	tableCost = 60
	fieldCost = 30
	valueCost = 4
	bytesCost = 4 // bytes per instruction
)

// The memory of decoded values in bytes. The VM keeps fields with names in two maps and a list.
const (
	tableMemory      = 96
	slotMemory       = 16
	numberMemory     = 8
	stringMemory     = 24
	smallMapsMemory  = 690 // the maps of up to smallMaps fields
	smallMaps        = 8
	fieldMemory      = 48
	largeFieldMemory = 105 // of each field of a larger object
)

// flushFields is the number of fields of an object that wait for their table: most objects have
// fewer, and then the table is made with exactly their number.
const flushFields = 64

// A Decoder reads one JSON text.
type Decoder struct {
	Cost   int // of the work so far, in instructions
	Memory int // of the result so far, in bytes

	text   string
	at     int
	null   lua.LValue
	want   expectation
	open   []container
	values []lua.LValue // of the open containers: elements, or keys and values
	names  map[string]lua.LString
	result lua.LValue
}

// A container is a list or an object that has not ended.
type container struct {
	object bool
	first  int         // index of its first value
	table  *lua.LTable // of a large object; nil: all its fields are in values
}

type expectation uint8

const (
	wantValue expectation = iota
	wantFirst             // a value or the end of a list
	wantField             // the first name or the end of an object
	wantName              // a name
	wantMore              // a comma or an end
	wantEnd               // only space
)

// NewDecoder returns a decoder of text. null is the value of null.
func NewDecoder(text string, null lua.LValue) *Decoder {
	return &Decoder{text: text, null: null, names: map[string]lua.LString{}}
}

// Result returns the value of the text, after Step has reported the end.
func (d *Decoder) Result() lua.LValue { return d.result }

// Step works until its cost is at least work instructions, or until the text has ended. The error
// names the line and the column.
func (d *Decoder) Step(work int) (done bool, err error) {
	for stop := d.Cost + work; d.Cost < stop; {
		d.space()
		if d.at == len(d.text) {
			if d.want == wantEnd {
				return true, nil
			}
			return true, d.fail("the text ends too early")
		}
		if err := d.token(d.text[d.at]); err != nil {
			return true, err
		}
	}
	return false, nil
}

// space skips white space.
func (d *Decoder) space() {
	from := d.at
	for d.at < len(d.text) && (d.text[d.at] == ' ' || d.text[d.at] == '\n' || d.text[d.at] == '\t' || d.text[d.at] == '\r') {
		d.at++
	}
	d.Cost += (d.at - from) / bytesCost
}

// token reads the token that begins with c.
func (d *Decoder) token(c byte) error {
	switch d.want {
	case wantValue:
		return d.value(c)
	case wantFirst:
		if c == ']' {
			return d.end()
		}
		return d.value(c)
	case wantField:
		if c == '}' {
			return d.end()
		}
		return d.name(c)
	case wantName:
		return d.name(c)
	case wantMore:
		return d.more(c)
	}
	return d.fail("text after the end")
}

// more reads a comma or the end of a container.
func (d *Decoder) more(c byte) error {
	object := d.open[len(d.open)-1].object
	switch {
	case c == ',' && object:
		d.want = wantName
	case c == ',':
		d.want = wantValue
	case object && c == '}' || !object && c == ']':
		return d.end()
	case object:
		return d.fail("expected , or }")
	default:
		return d.fail("expected , or ]")
	}
	d.at++
	return nil
}

// name reads the name of a field and the colon.
func (d *Decoder) name(c byte) error {
	if c != '"' {
		return d.fail("expected a name in quotes")
	}
	text, err := d.quoted()
	if err != nil {
		return err
	}
	name, known := d.names[text]
	if !known {
		name = lua.LString(strings.Clone(text))
		d.names[string(name)] = name
		d.Memory += stringMemory + len(text)
	}
	d.space()
	if d.at == len(d.text) || d.text[d.at] != ':' {
		return d.fail("expected :")
	}
	d.at++
	d.Cost += fieldCost
	d.values = append(d.values, name)
	d.want = wantValue
	return nil
}

// value reads a value, or the beginning of a container.
func (d *Decoder) value(c byte) error {
	d.Cost += valueCost
	switch {
	case c == '{' || c == '[':
		if len(d.open) >= maxDepth {
			return d.fail(fmt.Sprintf("lists and objects nest deeper than %d", maxDepth))
		}
		d.at++
		d.Cost += tableCost
		d.open = append(d.open, container{object: c == '{', first: len(d.values)})
		d.want = wantFirst
		if c == '{' {
			d.want = wantField
		}
		return nil
	case c == '"':
		text, err := d.quoted()
		if err != nil {
			return err
		}
		d.Memory += stringMemory + len(text)
		d.add(lua.LString(strings.Clone(text)))
	case c == '-' || c >= '0' && c <= '9':
		n, err := d.number()
		if err != nil {
			return err
		}
		d.Memory += numberMemory
		d.add(lua.LNumber(n))
	case d.word("true"):
		d.add(lua.LTrue)
	case d.word("false"):
		d.add(lua.LFalse)
	case d.word("null"):
		d.add(d.null)
	default:
		return d.fail("expected a value")
	}
	return nil
}

// add adds a value to the innermost container.
func (d *Decoder) add(v lua.LValue) {
	if len(d.open) == 0 {
		d.result, d.want = v, wantEnd
		return
	}
	d.want = wantMore
	d.values = append(d.values, v)
	c := &d.open[len(d.open)-1]
	if !c.object {
		d.Memory += slotMemory
		return
	}
	if c.table != nil || len(d.values)-c.first == 2*flushFields {
		d.flush(c, 2*flushFields)
	}
}

// flush puts the waiting fields of an object into its table.
func (d *Decoder) flush(c *container, room int) {
	if c.table == nil {
		c.table = newTable(0, room)
	}
	for i := c.first; i < len(d.values); i += 2 {
		c.table.RawSetString(string(d.values[i].(lua.LString)), d.values[i+1])
	}
	n := (len(d.values) - c.first) / 2
	d.Memory += n * fieldMemory
	if room > smallMaps {
		d.Memory += n * largeFieldMemory
	}
	d.truncate(c.first)
}

// truncate removes values of an ended container, so that they can be collected.
func (d *Decoder) truncate(n int) {
	clear(d.values[n:])
	d.values = d.values[:n]
}

// end ends the innermost container.
func (d *Decoder) end() error {
	d.at++
	c := &d.open[len(d.open)-1]
	n := len(d.values) - c.first
	d.Memory += tableMemory
	t := c.table
	switch {
	case t != nil:
	case !c.object:
		t = newTable(n, 0)
		for i, v := range d.values[c.first:] {
			t.RawSetInt(i+1, v)
		}
		d.truncate(c.first)
	case n == 0:
		t = newTable(0, 0)
		MarkObject(t)
	default:
		if d.flush(c, n/2); n/2 <= smallMaps {
			d.Memory += smallMapsMemory
		}
		t = c.table
	}
	d.open = d.open[:len(d.open)-1]
	d.add(t)
	return nil
}

func newTable(list, fields int) *lua.LTable { return new(lua.LState).CreateTable(list, fields) }
