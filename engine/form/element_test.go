package form

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// scores returns an element of a table of n players, a bar and a text.
func scores(n int) Element {
	t := Row{Kind: Table, Choices: []string{"Score", "Ping", "Player"}}
	for i := range n {
		t.Cells = append(t.Cells, fmt.Sprint(i), fmt.Sprint(30+i), fmt.Sprint("Player ", i))
	}
	return Element{Number: 3, Name: "scores", At: 4, Rows: []Row{{Text: "Red 1 : 0 Blue"}, {Kind: Bar, Text: "Flag", Value: 0.5}, t}}
}

// tell sends a change to a client, and returns its bits.
func tell(t testing.TB, s *Elements, c *Change) int {
	var got Change
	bits := cross(t, c.Serialize, got.Serialize)
	require.NoError(t, s.Take(&got))
	return bits
}

// TestElementsCrossTheWire whole, in part, and to their end.
func TestElementsCrossTheWire(t *testing.T) {
	var s Elements
	first := scores(10)
	require.NoError(t, first.Check())
	whole := tell(t, &s, first.ChangeFrom(nil))
	assert.Equal(t, []*Element{&first}, s.List())
	assert.Nil(t, first.ChangeFrom(&first), "nothing is new")

	old, is := first, s.List()[0]
	next := scores(10)
	next.Rows[2].Cells[4] = "99"
	next.Rows[1].Value = 1
	bits := tell(t, &s, next.ChangeFrom(&old))
	assert.LessOrEqual(t, bits, 80, "of %d for all", whole)
	assert.Equal(t, []*Element{&next}, s.List())
	assert.Equal(t, "31", is.Rows[2].Cells[4], "an element never changes")

	old = next
	next.Rows = append([]Row{}, next.Rows...)
	next.Rows[0].Text = "Red 2 : 0 Blue"
	assert.Less(t, tell(t, &s, next.ChangeFrom(&old)), 160)
	assert.Equal(t, "Red 2 : 0 Blue", s.List()[0].Rows[0].Text)

	bar := Element{Number: 5, Name: "b", Rows: []Row{{Kind: Bar, Value: 0.25}}}
	tell(t, &s, bar.ChangeFrom(nil))
	full := Element{Number: 5, Name: "b", Rows: []Row{{Kind: Bar, Value: 0.75}}}
	assert.LessOrEqual(t, tell(t, &s, full.ChangeFrom(&bar)), 32, "a bar changes by four bytes")
	close := Element{Number: 5, Name: "b", Rows: []Row{{Kind: Bar, Value: 0.75001}}}
	assert.Nil(t, close.ChangeFrom(&full), "the same bits")

	for _, spoil := range []func(e *Element){
		func(e *Element) { e.At = 0 }, func(e *Element) { e.Rows = e.Rows[:2] }, func(e *Element) { e.Rows[2].Cells = e.Rows[2].Cells[:9] },
		func(e *Element) { e.Rows[1].Kind = Text; e.Rows[1].Value = 0 }, func(e *Element) { e.Rows[2].Choices[0] = "Kills" },
		func(e *Element) { e.Rows[1].Text = "The flag" }, func(e *Element) { e.Rows[0] = Row{Kind: Look, Block: 9} },
	} {
		want := scores(10)
		spoil(&want)
		tell(t, &s, want.ChangeFrom(s.List()[0]))
		assert.Equal(t, &want, s.List()[0])
	}
	tell(t, &s, &Change{Element: Element{Number: 3}, Use: Gone})
	tell(t, &s, &Change{Element: Element{Number: 3}, Use: Gone})
	tell(t, &s, next.ChangeFrom(&old))
	assert.Len(t, s.List(), 1, "a change of what is gone is dropped")
}

// TestBadElementsAreRefused breaks each rule of an element.
func TestBadElementsAreRefused(t *testing.T) {
	row := func(r Row) func(*Element) { return func(e *Element) { e.Rows[0] = r } }
	only := "an element is only seen: it has texts, tables, bars, looks and images"
	for want, spoil := range map[string]func(*Element){
		`the element's name must be 1 to 32`:                func(e *Element) { e.Name = "" },
		"the place must be one of top left, top, top right": func(e *Element) { e.At = Places },
		"the element has 0 rows: must be 1…32":              func(e *Element) { e.Rows = nil },
		"the element has 33 rows: must be 1…32":             func(e *Element) { e.Rows = make([]Row, 33) },
		"must be at most 4096":                              func(e *Element) { e.Rows = slices16(5) },
		"row 1, a button: " + only:                          row(Row{Kind: Button, Text: "x"}),
		"row 1, a field: " + only:                           row(Row{Kind: Field, Name: "x", Length: 1}),
		"row 1, a choice: " + only:                          row(Row{Kind: Choice, Name: "x", Choices: []string{"x"}}),
		"row 1, a slider: " + only:                          row(Row{Kind: Slider, Name: "x", Max: 1}),
		"so it takes no name":                               row(Row{Kind: Table, Name: "x", Choices: []string{"x"}}),
		"row 1, a bar: value = 2: must be 0…1":              row(Row{Kind: Bar, Value: 2}),
	} {
		e := scores(2)
		spoil(&e)
		assert.ErrorContains(t, e.Check(), want)
	}
}

// TestElementsOfAHostileServer: changes that do not fit, texts for a terminal, and elements without
// end.
func TestElementsOfAHostileServer(t *testing.T) {
	var s Elements
	first := scores(2)
	tell(t, &s, first.ChangeFrom(nil))
	for _, p := range []Part{
		{Row: 3}, {Row: 31, How: partValue}, {Row: 0, How: partValue}, {Row: 1, How: partCells, Cells: []Cell{{}}}, {Row: 2, How: partValue},
		{Row: 2, How: partCells, Cells: []Cell{{At: 6}}}, {New: Row{Kind: Button, Text: "x"}}, {New: Row{Kind: Image, Text: "", Image: 1}},
	} {
		c := &Change{Element: Element{Number: 3}, Use: Parts, Parts: []Part{p}}
		assert.Error(t, s.Take(c), "%+v", p)
		assert.Equal(t, &first, s.List()[0])
	}
	long := strings.Repeat("x", MaxText)
	for i := range 5 {
		c := &Change{Element: Element{Number: 3}, Use: Parts, Parts: []Part{{Row: i % 3, New: Row{Text: long}}}}
		require.NoError(t, s.Take(c))
	}
	tall := Element{Number: 4, Name: "tall", Rows: make([]Row, 5)}
	tell(t, &s, tall.ChangeFrom(nil))
	big := &Change{Element: Element{Number: 4}, Use: Parts}
	for i := range 5 {
		big.Parts = append(big.Parts, Part{Row: i, New: Row{Text: long}})
	}
	assert.ErrorContains(t, s.Take(big), "must be at most 4096")

	tell(t, &s, &Change{Element: Element{Number: 4}, Use: Parts, Parts: []Part{{New: Row{Text: "\x1b[2J"}}}})
	assert.Equal(t, `\x1b[2J`, s.List()[1].Rows[0].Text)
	for n := range uint32(100) {
		e := Element{Number: n + 10, Name: "x", Rows: make([]Row, 1)}
		tell(t, &s, e.ChangeFrom(nil))
	}
	assert.Len(t, s.List(), 2*MaxElements)
	assert.Equal(t, uint32(109), s.List()[31].Number, "the newest stay")

	c := Change{Element: Element{Number: 1, Name: "x", Rows: slices16(5)}}
	w := bitstream.NewWriter(make([]byte, MaxBytes))
	c.Serialize(&w.Codec)
	var got Change
	r := bitstream.NewReader(w.Bytes())
	got.Serialize(&r.Codec)
	assert.ErrorIs(t, r.Err(), errBytes, "texts are far longer than their bits")
}

// TestElementsAsText as a terminal shows them.
func TestElementsAsText(t *testing.T) {
	e := scores(2)
	assert.Equal(t, []string{"Red 1 : 0 Blue", "Flag: 50%", "Score  Ping  Player", "0  30  Player 0", "1  31  Player 1"}, e.Lines())
	e.Rows[2].Text = "The best\nplayers"
	assert.Equal(t, []string{"The best", "players", "Score  Ping  Player"}, e.Lines()[2:5])
}

// FuzzChange checks that no bits make the decoder panic or keep more than an element has, and that
// what it accepts is written the same way.
func FuzzChange(f *testing.F) {
	e, old := scores(3), scores(3)
	e.Rows[2].Cells[1], e.Rows[1].Value, e.Rows[0].Text = "9", 1, "new"
	for _, c := range []*Change{e.ChangeFrom(nil), e.ChangeFrom(&old), {Element: Element{Number: 1}, Use: Gone}} {
		f.Add(c.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ReadChange(b)
		bytes := 0
		for i := range c.Rows {
			bytes += c.Rows[i].bytes()
		}
		for _, p := range c.Parts {
			bytes += p.New.bytes()
			for _, cell := range p.Cells {
				bytes += len(cell.Text) + 1
			}
		}
		require.LessOrEqual(t, bytes, MaxElementBytes+2*MaxText)
		if err != nil {
			return
		}
		again, err := ReadChange(c.Bytes())
		require.NoError(t, err)
		require.Equal(t, c, again)
		var s Elements
		first := scores(3)
		first.Number = c.Number
		require.NoError(t, s.Take(first.ChangeFrom(nil)))
		_ = s.Take(c)
		for _, e := range s.List() {
			require.NoError(t, e.Check())
		}
	})
}
