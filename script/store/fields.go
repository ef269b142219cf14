package store

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// errNoFields reports a stored value that is no table.
var errNoFields = errors.New("the stored value is no table")

// EncodeFields encodes a table of texts, as Encode does.
func EncodeFields(fields map[string]string) []byte {
	e := encoder{out: []byte{storeCode, codeTable}}
	e.out = binary.AppendUvarint(e.out, uint64(len(fields)))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, s := range []string{name, fields[name]} {
			e.out = binary.AppendUvarint(append(e.out, codeString), uint64(len(s)))
			e.out = append(e.out, s...)
		}
	}
	return e.out
}

// DecodeFields returns the texts of a table by their names. It leaves out whatever is no text: a
// newer torc can have more in its tables. The bytes are not trusted, as with Decode.
func DecodeFields(b []byte) (map[string]string, error) {
	if _, err := Decode(nil, b); err != nil {
		return nil, err
	}
	d := decoder{in: b[1:]}
	if d.in[0] != codeTable {
		return nil, errNoFields
	}
	count, n := binary.Uvarint(d.in[1:])
	d.in = d.in[1+n:]
	fields := map[string]string{}
	for range count {
		name, _ := d.value() // Decode has found no error
		text, _ := d.value()
		if name, is := name.(lua.LString); is {
			if text, is := text.(lua.LString); is {
				fields[string(name)] = string(text)
			}
		}
	}
	return fields, nil
}
