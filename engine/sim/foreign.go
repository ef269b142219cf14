package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// A server whose classes differ from those of its client gives each of its classes to the client,
// with its number. A class that the client has needs only its fingerprint:
//
//	class 10 │ known 1 │ fingerprint 32
//
// Any other one is described. Its parent must be known already:
//
//	class 10 │ known 0 │ name text │ parent's class 10 │ abstract 1 │ if so: has defaults 1 │ fields 7, each:
//	  name text │ group 5 │ kind 3
//	  number, vec, rot: as in the description of a declared class
//	  string: bytes at most var
//	  object: datablock 1 │ class text
//	  jumps 1 │ rated 1 │ if so: rate text
//	if the class has defaults, for each of its fields that is no object, inherited first:
//	  default 1 ─ 1: the default, as an exact field travels; 0: that of the parent, or the usual one
//
// The server's numbers are then the numbers of the client's session. Objects of a described class
// have the Go type of its nearest ancestor with code, and a cell for each further field.

const (
	groupBits = 5
	printBits = 32
)

// maker returns the function that makes objects for the subclasses of c, or nil.
func (c *Class) maker() func() Object {
	if c.New != nil {
		return c.New
	}
	return c.Bare
}

// The errors of an invalid list of classes.
var (
	errListNumber  = errors.New("sim: a list of classes with a wrong number")
	errListPrint   = errors.New("sim: a list of classes with an unknown or repeated fingerprint")
	errListName    = errors.New("sim: a list of classes with a name that is taken")
	errListParent  = errors.New("sim: a list of classes with an unknown parent")
	errListBlock   = errors.New("sim: a described class whose dataBlock is no datablock")
	errListKind    = errors.New("sim: a described class with a field of an unknown kind")
	errListChanged = errors.New("sim: there are classes of another server already")
)

// foreignList is what a session keeps of its own list while it has the numbers of a server.
type foreignList struct {
	left    int // numbers without a class
	own     classesState
	wire    []*Class
	numbers map[*Class]int
	prints  map[uint32]*Class // of the own classes
	reached map[*Class]bool   // own classes that the code of one with a number relies on
}

// Adopt begins to take over the numbers of a server with n net and block classes. Each of them
// follows by UnpackListed. No objects, datablocks and declared classes may exist.
func (cs *Classes) Adopt(n int) error {
	if cs.foreign != nil || len(cs.declared) > 0 || !cs.session {
		return errListChanged
	}
	if n < 1 || n > 1<<classBits {
		return errListNumber
	}
	f := &foreignList{left: n, own: cs.state(), wire: cs.wire, numbers: map[*Class]int{}, prints: map[uint32]*Class{}, reached: map[*Class]bool{}}
	for i, print := range cs.Fingerprints() {
		f.prints[print] = cs.wire[i]
	}
	cs.foreign, cs.wire = f, make([]*Class, n)
	return nil
}

// Adopts reports whether classes of the server's list are still to come.
func (cs *Classes) Adopts() bool { return cs.foreign != nil && cs.foreign.left > 0 }

// Revert takes back the session's own numbers, and forgets the classes that the server described.
// Clients call it when they leave a server, after ClearDeclared.
func (cs *Classes) Revert() {
	if f := cs.foreign; f != nil {
		cs.wire, cs.byName, cs.list = f.wire, f.own.byName, f.own.list
		cs.foreign = nil
	}
}

// Described reports whether a server or a recording has described the class, which this program
// lacks or has otherwise.
func (c *Class) Described() bool { return c.base != nil && c.spec == nil }

// number returns the server's number of a class, -1 if the server has no such class.
func (f *foreignList) number(c *Class) int {
	if n, has := f.numbers[c]; has {
		return n
	}
	return -1
}

// yields reports whether an own class can give its name to one of the server: the server has no
// such class, and no code of this side's objects relies on it.
func (f *foreignList) yields(c *Class) bool {
	return f != nil && f.number(c) < 0 && c.spec == nil && c.Kind != PlainClass && !c.Needed() && !f.reached[c]
}

// PackListed writes a class of this side's list for a peer with other classes. known says that the
// peer has the class with this fingerprint.
func (cs *Classes) PackListed(w *bitstream.Writer, c *Class, print uint32, known bool) {
	w.WriteBits(uint64(cs.WireID(c)), classBits)
	if w.WriteFlag(known) {
		w.WriteBits(uint64(print), printBits)
		return
	}
	parent, plain := cs.listedParent(c)
	inherited := len(parent.fields)
	d := listed{name: c.Name, parent: uint64(cs.WireID(parent)), abstract: c.Abstract, defaults: c.model != nil, fields: uint64(len(c.fields) - inherited)}
	d.code(&w.Codec)
	for _, f := range c.fields[inherited:] {
		row := *f
		row.describeListed(&w.Codec)
	}
	for i, f := range c.fields {
		if !d.defaults || f.Kind == KindObject {
			continue
		}
		if w.WriteFlag(f.Get(c.model) != c.usual(f, i < inherited && !plain)) {
			f.codeDefault(&w.Codec, c.model)
		}
	}
}

// listedParent returns the parent of a class for a peer. If that is a plain class, which peers do
// not know, the class itself has its fields.
func (cs *Classes) listedParent(c *Class) (parent *Class, plain bool) {
	switch {
	case c.parent != nil && c.parent.Kind != PlainClass:
		return c.parent, false
	case c.Kind == BlockClass:
		return cs.Lookup("SimDataBlock"), true
	}
	return cs.Lookup("NetObject"), true
}

// ListOrder returns the registered net and block classes in an order for PackListed: those that the
// peer knows first, and each after its parent.
func (cs *Classes) ListOrder(known func(print uint32) bool) (order []*Class, first int) {
	var described []*Class
	prints := cs.Fingerprints()
	for i, print := range prints {
		if known(print) {
			order = append(order, cs.wire[i])
		} else {
			described = append(described, cs.wire[i])
		}
	}
	slices.SortStableFunc(described, func(a, b *Class) int { return a.depth() - b.depth() })
	return append(order, described...), len(order)
}

// depth returns how many ancestors a class has.
func (c *Class) depth() (n int) {
	for c = c.parent; c != nil; c = c.parent {
		n++
	}
	return n
}

// UnpackListed reads a class of the server's list. An error changes nothing.
func (cs *Classes) UnpackListed(r *bitstream.Reader) error {
	f := cs.foreign
	id := r.ReadBits(classBits)
	known := r.ReadFlag()
	switch {
	case r.Err() != nil:
		return r.Err()
	case f == nil || id >= uint64(len(cs.wire)) || cs.wire[id] != nil || len(cs.declared) > 0:
		return errListNumber
	}
	if known {
		print := uint32(r.ReadBits(printBits))
		if r.Err() != nil {
			return r.Err()
		}
		return cs.takeKnown(print, int(id))
	}
	return cs.takeDescribed(r, int(id))
}

// takeDescribed reads a description, and gives its class a number.
func (cs *Classes) takeDescribed(r *bitstream.Reader, id int) error {
	c, err := cs.unpackListed(r)
	if err != nil {
		return err
	}
	if old := cs.Lookup(c.Name); old != nil {
		cs.list = slices.DeleteFunc(cs.list, func(o *Class) bool { return o == old })
	}
	cs.byName[fold(c.Name)] = c
	cs.list = append(cs.list, c)
	slices.SortFunc(cs.list, byClassName)
	cs.give(c, id)
	return nil
}

// give gives a class its number.
func (cs *Classes) give(c *Class, id int) {
	cs.wire[id], cs.foreign.numbers[c] = c, id
	cs.foreign.left--
}

// takeKnown gives an own class with a fingerprint its number. The classes that its code relies on
// must be this side's, too.
func (cs *Classes) takeKnown(print uint32, id int) error {
	f := cs.foreign
	c := f.prints[print]
	if c == nil || f.number(c) >= 0 {
		return errListPrint
	}
	all := cs.reach(c)
	for _, needs := range all {
		if f.own.byName[fold(needs.Name)] != cs.Lookup(needs.Name) {
			return errListName
		}
	}
	for _, needs := range all {
		f.reached[needs] = true
	}
	cs.give(c, id)
	return nil
}

// listed is the head of a description.
type listed struct {
	name     string
	parent   uint64
	abstract bool
	defaults bool // a new object has default values: it has a Go type at the server
	fields   uint64
}

// code codes the head in both directions.
func (d *listed) code(s *bitstream.Codec) {
	s.Text(&d.name, MaxName)
	s.Bits(&d.parent, classBits)
	if s.Flag(&d.abstract) {
		s.Flag(&d.defaults)
	} else {
		d.defaults = true
	}
	s.Bits(&d.fields, countBits)
}

// unpackListed reads a description, and makes its class.
func (cs *Classes) unpackListed(r *bitstream.Reader) (*Class, error) {
	var d listed
	d.code(&r.Codec)
	parent, old := cs.ByWire(int(d.parent)), cs.Lookup(d.name)
	switch {
	case r.Err() != nil:
		return nil, r.Err()
	case !IsName(d.name) || old != nil && !cs.foreign.yields(old):
		return nil, errListName
	case parent == nil || parent.maker() == nil:
		return nil, errListParent
	case d.fields > MaxFields:
		return nil, bitstream.ErrRange
	}
	c := &Class{Name: d.name, Parent: parent.Name, Kind: parent.Kind, Abstract: d.abstract, parent: parent}
	err := c.unpackFields(r, int(d.fields))
	if err == nil {
		err = c.unpackDefaults(r, d.defaults)
	}
	if err == nil {
		err = c.resolve()
	}
	if err != nil {
		return nil, fmt.Errorf("class %s: %w", String(d.name).Literal(), err)
	}
	if c.Abstract {
		c.Bare, c.New = c.New, nil
	}
	if !d.defaults {
		c.model = nil // as at the server
	}
	return c, nil
}

// unpackFields reads the fields of a described class.
func (c *Class) unpackFields(r *bitstream.Reader, n int) error {
	first := len(c.parent.maker()().Ident().runtimeCells)
	for i := range n {
		var f Field
		f.describeListed(&r.Codec)
		if r.Err() != nil {
			return r.Err()
		}
		if err := f.completeListed(c.Kind); err != nil {
			return err
		}
		f.bindCell(first + i)
		c.Fields = append(c.Fields, f)
	}
	return nil
}

// unpackDefaults reads the values of a new object. It makes the constructor of a described class.
func (c *Class) unpackDefaults(r *bitstream.Reader, has bool) error {
	base := c.parent
	if base.base != nil {
		base = base.base
	}
	rows := slices.Clone(c.parent.fields)
	for i := range c.Fields {
		rows = append(rows, &c.Fields[i])
	}
	own, made := rows[len(base.fields):], base.maker()
	cells := func(of func(*Field) Value) []any {
		list := make([]any, len(own))
		for i, f := range own {
			list[i] = f.cell(of(f))
		}
		return list
	}
	draft := made()
	draft.Ident().runtimeCells = cells((*Field).zeroDefault)
	for i, f := range rows {
		if f.Kind == KindObject {
			continue
		}
		f.store(draft, c.usual(f, i < len(c.parent.fields)))
		if has && r.ReadFlag() {
			f.codeDefault(&r.Codec, draft)
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	c.base = base
	c.New = func() Object {
		o := made()
		o.Ident().runtimeCells = cells(func(f *Field) Value { return f.Get(draft) })
		copyFields(base, o, draft)
		return o
	}
	return nil
}

// codeDefault codes a default in both directions. Numbers are exact.
func (f *Field) codeDefault(s *bitstream.Codec, o Object) {
	exact := *f
	if exact.Bits, exact.Step = 0, 0; !f.Whole {
		exact.scale = scale{bits: 64, lo: f.Lo, hi: f.Hi, top: math.MaxUint64}
	}
	exact.Serialize(s, o)
}

// usual returns the default of a field that a description does not give: that of the parent, or the
// usual one of its kind.
func (c *Class) usual(f *Field, inherited bool) Value {
	if inherited && c.parent.model != nil {
		return f.Get(c.parent.model)
	}
	return f.zeroDefault()
}

// completeListed completes and checks a field of a description.
func (f *Field) completeListed(kind ClassKind) (err error) {
	switch f.Kind {
	case KindBool, KindNumber, KindVec:
	case KindRot:
		f.Lo, f.Hi = math.Inf(-1), math.Inf(1)
	case KindString:
		if f.Max > MaxBlockSize {
			return bitstream.ErrRange
		}
	case KindObject:
		if strings.EqualFold(f.Name, "dataBlock") && !f.block {
			return errListBlock
		}
	default:
		return errListKind
	}
	if err = f.valid(kind); err == nil {
		f.scale, err = newScale(f)
	}
	return err
}

// describeListed codes a field without its default, in both directions.
func (f *Field) describeListed(s *bitstream.Codec) {
	s.Text(&f.Name, MaxName)
	group := uint64(f.Group)
	s.Bits(&group, groupBits)
	f.Group = uint8(group)
	f.describeKind(s)
	switch f.Kind {
	case KindString:
		most := uint64(f.Max)
		s.Var(&most)
		f.Max = int(min(most, math.MaxInt32))
	case KindObject:
		s.Flag(&f.block)
		s.Text(&f.Class, MaxName)
	default:
		f.describeNumbers(s)
	}
	s.Flag(&f.Jumps)
	rated := f.Rate != ""
	if s.Flag(&rated) {
		s.Text(&f.Rate, MaxName)
	}
}
