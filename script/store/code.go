package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/json"
	"github.com/torc-engine/torc/script/vm"
)

// storeCode is the version of the encoding. An encoded value is the version and then one value: a
// letter for its kind, followed by the content. Integers are zigzag varints, and other numbers are
// the eight bytes of a float64. Strings are their length and their bytes. Tables are the number of
// entries, then key and value of each, in this order: numbers ascending, strings ascending, false,
// true. Equal values therefore have equal bytes. A value with a later version is an error.
const storeCode = 1

const (
	codeFalse   = 'f'
	codeTrue    = 't'
	codeInteger = 'i'
	codeNumber  = 'n'
	codeString  = 's'
	codeTag     = 'g'
	codeVec     = 'v'
	codeRot     = 'r'
	codeTable   = '{'
)

const (
	MaxKey         = 256         // length of a key in bytes
	maxStoredValue = 512 << 10   // length of an encoded value in bytes
	entryBytes     = 2           // that an entry of a table has at least: true = true
	maxStoredSlots = vm.MaxHoles // array slots of all tables in one value; t[100000] = 1 takes 100,000

	// As for a value that goes to another mod.
	maxStoredDepth   = bind.MaxCopyDepth   // tables within tables
	maxStoredEntries = bind.MaxCopyEntries // of all tables in one value
)

// Encode encodes v. The error tells which part of v cannot be stored, and its path in v.
func Encode(v lua.LValue) ([]byte, error) {
	b, _, err := EncodeSized(v)
	return b, err
}

// EncodeSized is Encode. It also returns the size of the parts that it has looked at, even if it
// fails: bytes, and some for each entry. A mod pays for them.
func EncodeSized(v lua.LValue) (b []byte, size int, err error) {
	return EncodeWithin(v, maxStoredValue)
}

// EncodeWithin is EncodeSized for a value that can have at most so many bytes. One that is longer
// costs no more than that, and is an ErrTooLong.
func EncodeWithin(v lua.LValue, most int) (b []byte, size int, err error) {
	e := encoder{out: append(make([]byte, 0, 64), storeCode), most: most}
	if err := e.value(v); err != nil {
		if len(e.path) > 0 {
			err = fmt.Errorf("%w, at %s", err, strings.Join(e.path, ""))
		}
		return nil, len(e.out) + entryOverhead*e.entries, err
	}
	return e.out, len(e.out), nil
}

// ErrTooLong is the error of a value that has too many bytes.
var ErrTooLong = errors.New("a stored value must have at most")

type encoder struct {
	out     []byte
	most    int // bytes
	entries int
	slots   int
	within  []*lua.LTable // the tables being written, to find cycles
	path    []string      // path to the value in error, in Lua syntax
}

func (e *encoder) value(v lua.LValue) error {
	switch v := v.(type) {
	case lua.LBool:
		e.out = append(e.out, map[lua.LBool]byte{false: codeFalse, true: codeTrue}[v])
	case lua.LNumber:
		e.number(float64(v))
	case lua.LString:
		return e.text(codeString, string(v))
	case *lua.LTable:
		return e.table(v)
	case *lua.LUserData:
		return e.userdata(v)
	default:
		return fmt.Errorf("%s cannot be stored", bind.KindOf(v))
	}
	return e.checkSize(0)
}

func (e *encoder) userdata(v *lua.LUserData) error {
	switch d := v.Value.(type) {
	case bind.Tag:
		return e.text(codeTag, d.Value.Text())
	case *sim.Vec3:
		e.floats(codeVec, d.X, d.Y, d.Z)
	case sim.Rot:
		e.floats(codeRot, d.Yaw, d.Pitch, d.Roll)
	case *bind.Handle:
		return errors.New("an object cannot be stored: it ends with the server. Store its data instead")
	default:
		return fmt.Errorf("%s cannot be stored", bind.KindOf(v))
	}
	return e.checkSize(0)
}

// checkSize fails if n more bytes exceed the limit.
func (e *encoder) checkSize(n int) error {
	if len(e.out)+n > e.most {
		return fmt.Errorf("%w %d bytes", ErrTooLong, e.most)
	}
	return nil
}

func (e *encoder) number(n float64) {
	if i := int64(n); float64(i) == n && math.Abs(n) < 1<<53 && !(n == 0 && math.Signbit(n)) {
		e.out = binary.AppendVarint(append(e.out, codeInteger), i)
		return
	}
	e.floats(codeNumber, n)
}

func (e *encoder) floats(code byte, list ...float64) {
	e.out = append(e.out, code)
	for _, n := range list {
		e.out = binary.LittleEndian.AppendUint64(e.out, math.Float64bits(n))
	}
}

func (e *encoder) text(code byte, s string) error {
	if err := e.checkSize(len(s)); err != nil {
		return err
	}
	e.out = binary.AppendUvarint(append(e.out, code), uint64(len(s)))
	e.out = append(e.out, s...)
	return e.checkSize(0)
}

func (e *encoder) table(t *lua.LTable) error {
	switch {
	case !json.Plain(t):
		return errors.New("a table with a metatable cannot be stored")
	case len(e.within) >= maxStoredDepth:
		return fmt.Errorf("a table nested deeper than %d cannot be stored", maxStoredDepth)
	case slices.Contains(e.within, t):
		return errors.New("a table that contains itself cannot be stored")
	}
	e.within = append(e.within, t)
	keys, err := e.keys(t)
	if err != nil {
		return err
	}
	e.out = binary.AppendUvarint(append(e.out, codeTable), uint64(len(keys)))
	for _, k := range keys {
		if err := e.value(k); err != nil {
			return err
		}
		if err := e.value(t.RawGet(k)); err != nil {
			e.path = append([]string{bind.NewPrinter().Step(k)}, e.path...)
			return err
		}
	}
	e.within = e.within[:len(e.within)-1]
	return nil
}

// keys returns the keys of a table in the order of the encoding.
func (e *encoder) keys(t *lua.LTable) ([]lua.LValue, error) {
	var keys []lua.LValue
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		switch {
		case keyRank(k) == 0:
			return nil, fmt.Errorf("a key of a stored table must be a string, a number or a boolean, not %s", bind.KindOf(k))
		case e.entries == maxStoredEntries:
			return nil, fmt.Errorf("more than %d table entries cannot be stored in one value", maxStoredEntries)
		case len(e.out)+entryBytes*len(keys) > e.most:
			return nil, e.checkSize(entryBytes * len(keys))
		}
		e.entries++
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	if e.slots += slotsOf(keys); e.slots > maxStoredSlots {
		return nil, fmt.Errorf("the list indices of a stored value must add up to at most %d", maxStoredSlots)
	}
	return keys, nil
}

// keyRank orders the kinds of keys; 0 means that k cannot be a key.
func keyRank(k lua.LValue) int {
	switch k := k.(type) {
	case lua.LNumber:
		if math.IsNaN(float64(k)) {
			return 0
		}
		return 1
	case lua.LString:
		return 2
	case lua.LBool:
		return 3
	}
	return 0
}

func compareKeys(a, b lua.LValue) int {
	if d := keyRank(a) - keyRank(b); d != 0 {
		return d
	}
	switch a := a.(type) {
	case lua.LNumber:
		if a < b.(lua.LNumber) {
			return -1
		}
		return 1
	case lua.LString:
		return strings.Compare(string(a), string(b.(lua.LString)))
	}
	if a == lua.LFalse {
		return -1
	}
	return 1
}

// slotsOf returns the array length of a table with these keys, which must be sorted.
func slotsOf(keys []lua.LValue) int {
	slots := 0
	for _, k := range keys {
		slots = max(slots, arrayIndex(k))
	}
	return slots
}

// arrayIndex returns the index of a key in the array part of a table, or 0 if it is not there.
func arrayIndex(k lua.LValue) int {
	if n, ok := k.(lua.LNumber); ok && n >= 1 && n < vm.MaxArray && n == lua.LNumber(int(n)) {
		return int(n)
	}
	return 0
}

// errDamaged reports bytes that Encode cannot have written.
var errDamaged = errors.New("the stored value is damaged")

// Decode decodes a value into the state to. If to is nil, it only checks the bytes. The bytes are
// not trusted: they cannot make Decode allocate more than their length and the slots that Encode
// allows.
func Decode(to *bind.Binding, b []byte) (lua.LValue, error) {
	if len(b) > 0 && b[0] > storeCode {
		return nil, fmt.Errorf("the stored value has format %d, this torc reads up to %d: a newer torc wrote it", b[0], storeCode)
	}
	if len(b) == 0 || b[0] != storeCode || len(b) > maxStoredValue {
		return nil, errDamaged
	}
	d := decoder{to: to, in: b[1:]}
	v, err := d.value()
	if err == nil && len(d.in) > 0 {
		err = errDamaged
	}
	return v, err
}

// Check checks the key and value of an entry in a Store. It returns nil if a mod could have
// stored them.
func Check(key string, value []byte) error {
	if len(key) < 1 || len(key) > MaxKey {
		return fmt.Errorf("a key must have 1 to %d bytes, not %d", MaxKey, len(key))
	}
	_, err := Decode(nil, value)
	return err
}

type decoder struct {
	to      *bind.Binding
	in      []byte
	entries int
	slots   int
	depth   int
}

func (d *decoder) value() (lua.LValue, error) {
	if len(d.in) == 0 {
		return nil, errDamaged
	}
	code := d.in[0]
	d.in = d.in[1:]
	switch code {
	case codeFalse, codeTrue:
		return lua.LBool(code == codeTrue), nil
	case codeInteger:
		i, n := binary.Varint(d.in)
		if n <= 0 || i <= -1<<53 || i >= 1<<53 {
			return nil, errDamaged
		}
		d.in = d.in[n:]
		return lua.LNumber(i), nil
	case codeNumber:
		f, err := d.floats(1)
		return lua.LNumber(f[0]), err
	case codeString:
		s, err := d.text(maxStoredValue)
		return lua.LString(s), err
	case codeTable:
		return d.table()
	}
	return d.userdata(code)
}

func (d *decoder) userdata(code byte) (v lua.LValue, err error) {
	var s string
	var f [3]float64
	switch code {
	case codeTag:
		s, err = d.text(bind.MaxTagText)
	case codeVec, codeRot:
		f, err = d.floats(3)
	default:
		err = errDamaged
	}
	switch {
	case err != nil || d.to == nil:
		return lua.LNil, err
	case code == codeTag:
		return d.to.Tag(sim.Tag(s)), nil
	case code == codeVec:
		return d.to.Vec(sim.Vec3{X: f[0], Y: f[1], Z: f[2]}), nil
	}
	return d.to.Rot(sim.Rot{Yaw: f[0], Pitch: f[1], Roll: f[2]}), nil
}

// floats reads n numbers, at most three.
func (d *decoder) floats(n int) (f [3]float64, err error) {
	if len(d.in) < 8*n {
		return f, errDamaged
	}
	for i := range n {
		f[i] = math.Float64frombits(binary.LittleEndian.Uint64(d.in[8*i:]))
	}
	d.in = d.in[8*n:]
	return f, nil
}

func (d *decoder) text(limit int) (string, error) {
	size, n := binary.Uvarint(d.in)
	if n <= 0 || size > uint64(limit) || size > uint64(len(d.in)-n) {
		return "", errDamaged
	}
	s := string(d.in[n : n+int(size)])
	d.in = d.in[n+int(size):]
	return s, nil
}

func (d *decoder) table() (lua.LValue, error) {
	count, n := binary.Uvarint(d.in)
	if n <= 0 || count > uint64(len(d.in)-n)/2 || count > uint64(maxStoredEntries-d.entries) || d.depth >= maxStoredDepth {
		return nil, errDamaged
	}
	d.in = d.in[n:]
	d.entries += int(count)
	d.depth++
	keys, values := make([]lua.LValue, count), make([]lua.LValue, count)
	for i := range keys {
		var err error
		if keys[i], err = d.value(); err != nil {
			return nil, err
		}
		if keyRank(keys[i]) == 0 || i > 0 && compareKeys(keys[i-1], keys[i]) >= 0 {
			return nil, errDamaged
		}
		if values[i], err = d.value(); err != nil {
			return nil, err
		}
	}
	d.depth--
	if d.slots += slotsOf(keys); d.slots > maxStoredSlots {
		return nil, errDamaged
	}
	return d.makeTable(keys, values), nil
}

func (d *decoder) makeTable(keys, values []lua.LValue) lua.LValue {
	if d.to == nil {
		return lua.LNil
	}
	t := d.to.Mod.State.Lua().CreateTable(slotsOf(keys), 0)
	for i, k := range keys {
		t.RawSet(k, values[i])
	}
	return t
}
