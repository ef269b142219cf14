package sim

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// lamp is an object without a Go parent that can be made.
type lamp struct {
	stand
	power float64
	near  ID
	kind  BlockRef
	tone  string
	dim   bool
}

// stand is the struct of an abstract class.
type stand struct {
	NetObject
	height, change float64
}

type stander interface{ stood() *stand }

func (s *stand) stood() *stand { return s }

// crateData is a datablock with further fields.
type crateData struct {
	testBlock
	load int
	next BlockRef
}

var (
	standClass = Class{
		Name: "Stand", Parent: "NetObject", Abstract: true, Bare: func() Object { return new(stand) },
		Fields: []Field{
			FloatField("height", 1, -100, 100, func(s stander) *float64 { return &s.stood().height }).WithBits(20).WithRate("change"),
			FloatField("change", 1, -10, 10, func(s stander) *float64 { return &s.stood().change }).WithBits(10),
		},
	}
	lampClass = Class{
		Name: "Lamp", Parent: "Stand", New: func() Object { return &lamp{stand: stand{height: 3}, power: 60, tone: "warm"} },
		Fields: []Field{
			FloatField("power", 7, 0, 100, func(l *lamp) *float64 { return &l.power }).WithStep(0.5).WithJumps(),
			RefField("near", 7, "Lamp", func(l *lamp) *ID { return &l.near }),
			BlockField("dataBlock", 0, "CrateData", func(l *lamp) *BlockRef { return &l.kind }),
			TextField("tone", 2, 700, func(l *lamp) *string { return &l.tone }),
			BoolField("dim", 3, func(l *lamp) *bool { return &l.dim }),
		},
	}
	crateDataClass = Class{
		Name: "CrateData", Parent: "ThingData", New: func() Object { return &crateData{testBlock: testBlock{mass: 7, count: 3}, load: 5} },
		Fields: []Field{
			IntField("load", 0, 0, 500, func(d *crateData) *int { return &d.load }),
			BlockField("next", 0, "CrateData", func(d *crateData) *BlockRef { return &d.next }),
		},
	}
	heirClass = Class{
		Name: "Heir", Parent: "Lamp", New: func() Object { return &lamp{stand: stand{height: -3}, power: 10} },
	}
)

func registered(t testing.TB, list ...Class) *Classes {
	cs := testClasses(t)
	for _, c := range list {
		require.NoError(t, cs.Register(c))
	}
	return cs
}

// packList writes the list of one side for the other.
func packList(t testing.TB, near, far *Classes) (list [][]byte, known int) {
	prints := far.Fingerprints()
	order, known := near.ListOrder(func(print uint32) bool { return slices.Contains(prints, print) })
	own := near.Fingerprints()
	for i, c := range order {
		w := bitstream.NewWriter(make([]byte, 4096))
		near.PackListed(w, c, own[c.wire], i < known)
		require.NoError(t, w.Err())
		list = append(list, w.Bytes())
	}
	return list, known
}

func adopt(t testing.TB, cs *Classes, list [][]byte) {
	require.NoError(t, cs.Adopt(len(list)))
	for _, b := range list {
		require.True(t, cs.Adopts())
		require.NoError(t, cs.UnpackListed(bitstream.NewReader(b)))
	}
	require.False(t, cs.Adopts())
}

// TestAdoptedListIsTheServers checks that a client with fewer, more and other classes has the list
// of its server afterwards, to the letter, and its own list again when it leaves.
func TestAdoptedListIsTheServers(t *testing.T) {
	other := lampClass
	other.Fields = slices.Clone(lampClass.Fields[:1])
	server := registered(t, standClass, lampClass, crateDataClass, heirClass)
	for name, own := range map[string][]Class{
		"fewer":  nil,
		"some":   {standClass, crateDataClass},
		"others": {standClass, other, {Name: "Zebra", Parent: "NetObject", New: func() Object { return new(NetObject) }}},
		"equal":  {standClass, lampClass, crateDataClass, heirClass},
	} {
		client := registered(t, own...).Session()
		before, hash := slices.Clone(client.List()), client.Hash()
		list, known := packList(t, server, client)
		adopt(t, client, list)
		assert.Equal(t, server.Hash(), client.Hash(), name)
		for i, c := range server.wire {
			got := client.ByWire(i)
			require.Equal(t, c.Name, got.Name)
			assert.Equal(t, i, client.WireID(got), name)
			assert.Same(t, got, client.Lookup(c.Name), name)
			for g := range c.Groups() {
				assert.Equal(t, len(c.Cells(g)), len(got.Cells(g)), name)
			}
		}
		assert.Equal(t, name == "equal", known == len(list))
		client.Revert()
		assert.Equal(t, before, client.List(), name)
		assert.Equal(t, hash, client.Hash(), name)
		adopt(t, client, list)
	}
}

// TestDescribedObjects checks that ghosts and datablocks of described classes take their values.
func TestDescribedObjects(t *testing.T) {
	server := registered(t, standClass, lampClass, crateDataClass)
	client := registered(t, standClass).Session()
	list, _ := packList(t, server, client)
	adopt(t, client, list)

	near, far := NewWorld(server.Session()), NewWorld(client)
	kind := declare(t, near, "CrateData", "kind", "", row{"load", Number(9)}, row{"at", Vec(Vec3{1, 2, 3})})
	w := bitstream.NewWriter(make([]byte, 4096))
	near.Blocks.Pack(w, kind, nil)
	block, err := far.Blocks.Unpack(bitstream.NewReader(w.Bytes()))
	require.NoError(t, err)
	assert.IsType(t, new(testBlock), block, "the Go code of the parent")
	for _, f := range kind.Ident().Class().AllFields() {
		assert.Equal(t, f.Get(kind), block.Ident().Class().Lookup(f.Name).Get(block), f.Name)
	}

	o, err := near.New("Lamp", setter(row{"dataBlock", String("kind")}, row{"power", Number(40)}, row{"height", Number(7)}))
	require.NoError(t, err)
	class := far.Classes().Lookup("Lamp")
	ghost := far.Make(class)
	assert.IsType(t, new(stand), ghost)
	assert.InDelta(t, 3, ghost.(*stand).height, 0.001, "the default of the server's class")
	for g := range class.Groups() {
		var v Values
		o.Ident().Class().Quantise(o, g, &v)
		require.NoError(t, class.Restore(ghost, g, &v))
	}
	assert.InDelta(t, 7, ghost.(*stand).height, 0.001)
	assert.Equal(t, Number(40), class.Lookup("power").Get(ghost))
	require.NotZero(t, far.Add(ghost))
	assert.Equal(t, Handle(block.Ident().ID()), class.Lookup("dataBlock").Get(ghost))

	// Lua can inherit from a described class.
	_, err = client.Declare(ClassSpec{Name: "Torch", Parent: "Lamp", Fields: []FieldSpec{{Name: "smoke", Kind: KindBool}}})
	require.NoError(t, err)
	torch := far.Make(client.Lookup("Torch"))
	assert.Equal(t, String("warm"), client.Lookup("Torch").Lookup("tone").Get(torch))
	assert.Equal(t, Bool(false), client.Lookup("Torch").Lookup("smoke").Get(torch))
	assert.Equal(t, len(server.wire), client.WireID(client.Lookup("Torch")))
}

// TestFingerprintsCoverWhatCodeReliesOn checks that a class with another ancestor, or with a field
// that refers to another class, has another fingerprint, and no other class has.
func TestFingerprintsCoverWhatCodeReliesOn(t *testing.T) {
	prints := func(data, stood Class) map[string]uint32 {
		cs := registered(t, stood, lampClass, data, heirClass)
		m := map[string]uint32{}
		for i, p := range cs.Fingerprints() {
			m[cs.wire[i].Name] = p
		}
		return m
	}
	base := prints(crateDataClass, standClass)
	otherData := crateDataClass
	otherData.Fields = crateDataClass.Fields[:1]
	otherStand := standClass
	otherStand.Fields = []Field{standClass.Fields[0].WithBits(21), standClass.Fields[1]}
	for name, c := range map[string]struct {
		prints  map[string]uint32
		differs []string
	}{
		"data":   {prints(otherData, standClass), []string{"CrateData", "Heir", "Lamp"}},
		"parent": {prints(crateDataClass, otherStand), []string{"Heir", "Lamp", "Stand"}},
	} {
		var differs []string
		for class, p := range base {
			if c.prints[class] != p {
				differs = append(differs, class)
			}
		}
		slices.Sort(differs)
		assert.Equal(t, c.differs, differs, name)
	}
}

// TestLackingNamesTheClass checks that a peer must have the classes that moves depend on.
func TestLackingNamesTheClass(t *testing.T) {
	moving := lampClass
	moving.Moves = true
	server := registered(t, standClass, moving, crateDataClass, heirClass)
	assert.Nil(t, server.Lacking(registered(t, standClass, lampClass, crateDataClass).Fingerprints()), "subclasses do not inherit it")
	assert.Equal(t, "Lamp", server.Lacking(testClasses(t).Fingerprints()).Name)
	coded := standClass
	coded.Coders = map[uint8]func(*GroupCoder, Object){1: func(*GroupCoder, Object) {}}
	assert.Equal(t, "Stand", registered(t, coded).Lacking(testClasses(t).Fingerprints()).Name)
}

// TestHostileLists checks that a list that lies is refused, and changes nothing.
func TestHostileLists(t *testing.T) {
	moving := Class{Name: "Mover", Parent: "NetObject", Moves: true, New: func() Object { return new(NetObject) }}
	head := func(w *bitstream.Writer, id uint64, d listed) {
		w.WriteBits(id, classBits)
		w.WriteFlag(false)
		d.code(&w.Codec)
	}
	known := func(cs *Classes, id uint64, name string) func(w *bitstream.Writer) {
		print := cs.Fingerprints()[cs.Lookup(name).wire]
		return func(w *bitstream.Writer) {
			w.WriteBits(id, classBits)
			w.WriteFlag(true)
			w.WriteBits(uint64(print), printBits)
		}
	}
	own := registered(t, standClass, moving)
	field := func(name string, group uint8, kind ValueKind) func(w *bitstream.Writer) {
		return func(w *bitstream.Writer) {
			head(w, 2, listed{name: "New", parent: 0, fields: 1})
			f := Field{Name: name, Group: group, Kind: kind, Class: "Thing", Max: 3, Hi: 1}
			f.describeListed(&w.Codec)
			w.WriteBits(0, 64)
		}
	}
	described := func(id uint64, d listed) func(w *bitstream.Writer) {
		return func(w *bitstream.Writer) { head(w, id, d); w.WriteBits(0, 64) }
	}
	for name, c := range map[string]struct {
		write func(w *bitstream.Writer)
		want  string
	}{
		"number out of range":     {known(own, 9, "Thing"), errListNumber.Error()},
		"number twice":            {known(own, 0, "Thing"), errListNumber.Error()},
		"class twice":             {known(own, 2, "NetObject"), errListPrint.Error()},
		"unknown fingerprint":     {func(w *bitstream.Writer) { w.WriteBits(2|1<<10|0x1234<<11, 43) }, errListPrint.Error()},
		"no parent":               {described(2, listed{name: "New", parent: 5}), errListParent.Error()},
		"its own parent":          {described(2, listed{name: "New", parent: 2}), errListParent.Error()},
		"parent beyond the list":  {described(2, listed{name: "New", parent: 1000}), errListParent.Error()},
		"a bad name":              {described(2, listed{name: "no name"}), errListName.Error()},
		"a plain class":           {described(2, listed{name: "SimSet"}), errListName.Error()},
		"a name twice":            {described(2, listed{name: "netobject"}), errListName.Error()},
		"a class of moves":        {described(2, listed{name: "Mover"}), errListName.Error()},
		"a class that code needs": {described(2, listed{name: "ThingData"}), errListName.Error()},
		"too many fields":         {described(2, listed{name: "New", fields: 65}), bitstream.ErrRange.Error()},
		"fields without bits":     {described(2, listed{name: "New", fields: 64}), ""},
		"a group of another kind": {field("x", 1, KindTag), errListKind.Error()},
		"a dataBlock of numbers":  {field("DataBlock", 1, KindObject), errListBlock.Error()},
		"a reserved field":        {field("className", 1, KindBool), "reserved"},
	} {
		cs := own.Session()
		require.NoError(t, cs.Adopt(8))
		for i, class := range []string{"NetObject", "Thing"} {
			w := bitstream.NewWriter(make([]byte, 64))
			known(own, uint64(i), class)(w)
			require.NoError(t, cs.UnpackListed(bitstream.NewReader(w.Bytes())))
		}
		w := bitstream.NewWriter(make([]byte, 4096))
		c.write(w)
		before := len(cs.List())
		err := cs.UnpackListed(bitstream.NewReader(w.Bytes()))
		require.ErrorContains(t, err, c.want, name)
		assert.Nil(t, cs.ByWire(2), name)
		assert.Len(t, cs.List(), before, name)
		for n := range w.Bytes() {
			assert.Error(t, cs.UnpackListed(bitstream.NewReader(w.Bytes()[:n])), name)
		}
		cs.Revert()
		assert.Equal(t, own.Hash(), cs.Hash())
	}
	cs := own.Session()
	for _, n := range []int{-1, 0, 1<<classBits + 1} {
		assert.ErrorIs(t, cs.Adopt(n), errListNumber)
	}
	assert.ErrorIs(t, cs.UnpackListed(bitstream.NewReader(make([]byte, 8))), errListNumber)
	require.NoError(t, cs.Adopt(1))
	assert.ErrorIs(t, cs.Adopt(1), errListChanged)
}

// TestRecordedLists checks that programs with fewer, other and the same classes take the list of a
// recording, also one that a client with described classes has packed.
func TestRecordedLists(t *testing.T) {
	server := registered(t, standClass, lampClass, crateDataClass, heirClass)
	list := server.PackList()
	require.NotEmpty(t, list)
	other := lampClass
	other.Parent, other.Fields = "NetObject", slices.Clone(lampClass.Fields[4:])
	for name, own := range map[string][]Class{
		"fewer":  nil,
		"some":   {standClass, crateDataClass},
		"others": {other, {Name: "Zebra", Parent: "NetObject", New: func() Object { return new(NetObject) }}},
		"equal":  {standClass, lampClass, crateDataClass, heirClass},
	} {
		viewer := registered(t, own...).Session()
		hash := viewer.Hash()
		require.NoError(t, viewer.TakeList(list), name)
		assert.Equal(t, server.Hash(), viewer.Hash(), name)
		assert.Equal(t, list, viewer.PackList(), name)
		assert.ErrorIs(t, viewer.TakeList(list), errListChanged)
		assert.Equal(t, server.Hash(), viewer.Hash(), name)
		viewer.Revert()
		assert.Equal(t, hash, viewer.Hash(), name)
	}
	assert.Equal(t, server.Fingerprints()[server.Lookup("Lamp").wire], server.NamedFingerprints()["Lamp"])
}

// TestHostileRecordedLists: a damaged list of a recording changes nothing, whatever it has.
func TestHostileRecordedLists(t *testing.T) {
	list := registered(t, standClass, lampClass, crateDataClass, heirClass).PackList()
	own := registered(t, standClass)
	cs := own.Session()
	classes, hash := slices.Clone(cs.List()), cs.Hash()
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		b := slices.Clone(list)
		if n < len(b) {
			b = b[:n]
		} else {
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		}
		if err := cs.TakeList(b); err != nil {
			assert.NotContains(t, err.Error(), "BUG")
		} else {
			cs.Revert()
		}
		require.Equal(t, classes, cs.List())
		require.Equal(t, hash, cs.Hash())
	}
	for _, b := range [][]byte{nil, {0}, binary.AppendUvarint(nil, 1<<62), binary.AppendUvarint(nil, 1<<classBits), {1, 0}, {1, 255, 255, 15}} {
		assert.Error(t, cs.TakeList(b))
	}
}

// FuzzListedClasses checks that any bytes are refused or make classes that objects can be made of.
func FuzzListedClasses(f *testing.F) {
	server := registered(f, standClass, lampClass, crateDataClass, heirClass)
	for _, own := range []*Classes{testClasses(f), registered(f, standClass)} {
		list, _ := packList(f, server, own)
		f.Add(slices.Concat(list...))
		for _, b := range list {
			f.Add(b)
		}
	}
	own := registered(f, standClass)
	thing := own.Fingerprints()[own.Lookup("Thing").wire]
	f.Fuzz(func(t *testing.T, b []byte) {
		cs := own.Session()
		require.NoError(t, cs.Adopt(len(server.wire)))
		for i, print := range own.Fingerprints() {
			w := bitstream.NewWriter(make([]byte, 8))
			w.WriteBits(uint64(i)|1<<classBits|uint64(print)<<(classBits+1), classBits+1+printBits)
			if print == thing || len(b)%2 == 0 {
				require.NoError(t, cs.UnpackListed(bitstream.NewReader(w.Bytes())))
			}
		}
		w, r := NewWorld(cs), bitstream.NewReader(b)
		for r.Left() > 0 && cs.UnpackListed(r) == nil {
			r.ForgetText()
		}
		for _, c := range cs.List() {
			if c.base == nil || c.New == nil {
				continue
			}
			o := w.Make(c)
			for g := range c.Groups() {
				var v Values
				c.Quantise(o, g, &v)
				require.NoError(t, c.Restore(o, g, &v))
			}
			require.NotZero(t, w.Add(o))
		}
	})
}
