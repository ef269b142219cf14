package form

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// every has a row of each kind, and of each form of a field.
func every() Form {
	return Form{Number: 7, Name: "shop", Title: "Shop", Rows: []Row{
		{Kind: Text, Text: "What do you want?\nChoose."},
		{Kind: Button, Name: "buy", Text: "Buy"},
		{Kind: Button, Text: "Leave"},
		{Kind: Field, Name: "note", Text: "Note", Length: 20, Input: "hi"},
		{Kind: Field, Name: "n", Text: "How many", Numeric: true, Min: -1, Max: 9, Value: 0.5},
		{Kind: Choice, Name: "car", Text: "Car", Choices: []string{"fast", "safe"}, Value: 1},
		{Kind: Slider, Name: "speed", Text: "Speed", Max: 1, Step: 0.25, Value: 0.5},
		{Kind: Table, Name: "who", Choices: []string{"Name", "Score"}, Cells: []string{"Ann", "3", "Bob", "2"}, Value: 2},
		{Kind: Table, Text: "Nobody", Choices: []string{"Name"}},
		{Kind: Bar, Text: "Health", Value: 1},
		{Kind: Look, Text: "A car", Block: 4},
		{Kind: Image, Text: "A sword", Image: 3},
	}}
}

// cross writes something and reads it.
func cross(t testing.TB, write, read func(s *bitstream.Codec)) (bits int) {
	w := bitstream.NewWriter(make([]byte, 4*MaxBytes))
	write(&w.Codec)
	require.NoError(t, w.Err())
	r := bitstream.NewReader(w.Bytes())
	read(&r.Codec)
	require.NoError(t, r.Err())
	require.Equal(t, w.Pos(), r.Pos())
	return w.Pos()
}

// show sends a form to a board in pieces.
func show(t testing.TB, b *Board, f Form, replaces uint32) (bits []int) {
	for _, p := range f.Split(replaces) {
		var got Piece
		bits = append(bits, cross(t, p.Serialize, got.Serialize))
		require.NoError(t, b.Add(&got))
	}
	return bits
}

// TestFormsCrossTheWire sends a row of each kind.
func TestFormsCrossTheWire(t *testing.T) {
	f := every()
	require.NoError(t, f.Check())
	var b Board
	show(t, &b, f, 0)
	require.Len(t, b.Forms(), 1)
	got := b.Forms()[0]
	assert.True(t, got.Complete())
	assert.Equal(t, f.Rows, got.Rows)
	assert.Equal(t, []any{f.Name, f.Title, f.Number}, []any{got.Name, got.Title, got.Number})
	for _, v := range []float64{0, -3, 1<<53 - 1, -1<<53 + 1, 0.1, 1e300, -math.Pi, 1 << 60} {
		n := v
		cross(t, func(s *bitstream.Codec) { (&coder{Codec: s}).number(&n) }, func(s *bitstream.Codec) {
			var got float64
			(&coder{Codec: s}).number(&got)
			assert.Equal(t, v, got)
		})
	}
}

// buttons returns a form of n buttons of 16 English letters.
func buttons(n int) Form {
	words := strings.Fields("weapons vehicles ammunition medicine shields scanner upgrade packages grenades turrets station")
	f := Form{Number: 1, Name: "shop", Title: "Choose what you need"}
	for i := range n {
		text := words[i%len(words)] + words[(i/len(words)+3*i+1)%len(words)] + "all"
		f.Rows = append(f.Rows, Row{Kind: Button, Text: text[:16]})
	}
	return f
}

// TestTwoHundredButtonsTakeFourKilobytes also checks that the title and the first 20 rows fit in
// the first packet, and that no piece is large.
func TestTwoHundredButtonsTakeFourKilobytes(t *testing.T) {
	var b Board
	f := buttons(200)
	require.NoError(t, f.Check())
	sum := 0
	for _, bits := range show(t, &b, f, 0) {
		sum += bits
		assert.Less(t, bits, pieceBits+8*64)
	}
	assert.LessOrEqual(t, sum/8, 4000)
	t.Logf("%d bytes", sum/8)
	assert.GreaterOrEqual(t, len(f.Split(0)[0].Rows), 20)
}

// TestBadFormsAreRefused breaks each rule of a form.
func TestBadFormsAreRefused(t *testing.T) {
	row := func(r Row) func(*Form) { return func(f *Form) { f.Rows[0] = r } }
	for want, spoil := range map[string]func(*Form){
		`the form's name must be 1 to 32 letters, digits, _, - or ., got "a b"`: func(f *Form) { f.Name = "a b" },
		`got "a` + strings.Repeat("é", 31) + `…"`:                               func(f *Form) { f.Name = "a" + strings.Repeat("é", 99) },
		`got ""`: func(f *Form) { f.Name = "" },
		"the title has 129 bytes: must be at most 128":      func(f *Form) { f.Title = strings.Repeat("x", 129) },
		"a form needs a row":                                func(f *Form) { f.Rows = nil },
		"the form has 257 rows: must be at most 256":        func(f *Form) { f.Rows = make([]Row, 257) },
		"must be at most 16384":                             func(f *Form) { f.Rows = slices16(17) },
		"another row is named \"buy\"":                      row(Row{Kind: Field, Name: "buy", Length: 1}),
		"row 1, a text: it has no value and takes no name":  row(Row{Name: "x"}),
		"row 1, a field: it needs a name":                   row(Row{Kind: Field, Length: 1}),
		`the name "button" is that of the pressed button`:   row(Row{Kind: Button, Name: "button"}),
		`the name must be 1 to 32`:                          row(Row{Kind: Slider, Name: strings.Repeat("x", 33), Max: 1}),
		"the text has 1025 bytes":                           row(Row{Text: strings.Repeat("x", 1025)}),
		"a button: it needs a text":                         row(Row{Kind: Button}),
		"length = 1025: must be 1…1024":                     row(Row{Kind: Field, Name: "x", Length: 1025}),
		"its value has 3 bytes: must be at most 2":          row(Row{Kind: Field, Name: "x", Length: 2, Input: "abc"}),
		"min = 3, max = 2: must be two numbers":             row(Row{Kind: Field, Name: "x", Numeric: true, Min: 3, Max: 2, Value: 2}),
		"min = NaN":                                         row(Row{Kind: Slider, Name: "x", Min: math.NaN()}),
		"value = 3: must be 0…2":                            row(Row{Kind: Slider, Name: "x", Max: 2, Value: 3}),
		"step = -1":                                         row(Row{Kind: Slider, Name: "x", Max: 2, Step: -1}),
		"it has 0 choices: must be 1…255":                   row(Row{Kind: Choice, Name: "x"}),
		"value = 2: must be a whole number, 1…1, or nil":    row(Row{Kind: Choice, Name: "x", Choices: []string{"a"}, Value: 2}),
		"choice 1 has 1025 bytes":                           row(Row{Kind: Choice, Name: "x", Choices: []string{strings.Repeat("x", 1025)}}),
		"it has 17 columns: must be 1…16":                   row(Row{Kind: Table, Choices: make([]string, 17)}),
		"each of its rows must have a text for each column": row(Row{Kind: Table, Choices: make([]string, 2), Cells: make([]string, 3)}),
		"it has 256 rows: must be at most 255":              row(Row{Kind: Table, Choices: make([]string, 1), Cells: make([]string, 256)}),
		"cell 1 has 1025 bytes":                             row(Row{Kind: Table, Choices: make([]string, 1), Cells: []string{strings.Repeat("x", 1025)}}),
		"row 1, a bar: value = 1.1: must be 0…1":            row(Row{Kind: Bar, Value: 1.1}),
		"row 1, a look: there is no such datablock":         row(Row{Kind: Look, Block: -1}),
		"row 1, a unknown: the kind is unknown":             row(Row{Kind: Kinds}),
	} {
		f := every()
		spoil(&f)
		assert.ErrorContains(t, f.Check(), want)
	}
}

// slices16 returns n rows of 1,000 bytes.
func slices16(n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i].Text = strings.Repeat("x", 1000)
	}
	return rows
}

// TestTextsOfAFormAreCleaned checks every text that a player sees.
func TestTextsOfAFormAreCleaned(t *testing.T) {
	bad := "a\x1b[2J\u202e\xff👩‍🚀"
	f := Form{Name: "x", Title: bad, Rows: []Row{
		{Text: bad + "\n\t"}, {Kind: Field, Input: bad}, {Kind: Choice, Choices: []string{bad}}, {Kind: Table, Choices: []string{bad}, Cells: []string{bad}},
	}}
	f.Clean()
	good := `a\x1b[2J\u202e\xff👩‍🚀`
	assert.Equal(t, []string{good, good + "\n ", good, good, good, good},
		[]string{f.Title, f.Rows[0].Text, f.Rows[1].Input, f.Rows[2].Choices[0], f.Rows[3].Choices[0], f.Rows[3].Cells[0]})
}

// TestAnswersAreTypedByTheRows gives each row right and wrong values.
func TestAnswersAreTypedByTheRows(t *testing.T) {
	f := every()
	number := func(row int, v float64) Value { return Value{Row: row, Number: v} }
	text := func(row int, s string) Value { return Value{Row: row, IsText: true, Text: s} }
	button, got, err := f.Read(&Answer{Button: 1, Values: []Value{text(3, "tab\there"), number(4, 9), number(5, 2), number(6, 0.6), number(7, 0)}})
	require.NoError(t, err)
	assert.Equal(t, "buy", button)
	assert.Equal(t, []Entry{{"note", true, `tab\there`, 0}, {"n", false, "", 9}, {"car", false, "", 2}, {"speed", false, "", 0.5}}, got, "nothing is chosen in the table")
	button, got, err = f.Read(&Answer{Button: 2})
	require.NoError(t, err)
	assert.Equal(t, "Leave", button, "the text of a button without a name")
	assert.Equal(t, []Entry{{"note", true, "hi", 0}, {"n", false, "", 0.5}, {"car", false, "", 1}, {"speed", false, "", 0.5}, {"who", false, "", 2}}, got, "the first values")

	for want, a := range map[string]Answer{
		"the form has no such row":                         {Button: 0},
		"the form has no such row ":                        {Button: 11},
		"no button of the form was pressed":                {Button: NoButton},
		"two values for row 5":                             {Button: 1, Values: []Value{number(4, 1), number(4, 1)}},
		"the form has no such row  ":                       {Button: 1, Values: []Value{number(0, 1)}},
		"the form has no such row   ":                      {Button: 1, Values: []Value{number(8, 1)}},
		"the form has no such row    ":                     {Button: 1, Values: []Value{number(11, 1)}},
		"row 4, a field: the value is of the wrong kind":   {Button: 1, Values: []Value{number(3, 1)}},
		"row 5, a field: the value is of the wrong kind":   {Button: 1, Values: []Value{text(4, "1")}},
		"the text has 21 bytes: must be at most 20":        {Button: 1, Values: []Value{text(3, strings.Repeat("x", 21))}},
		"the text is not UTF-8":                            {Button: 1, Values: []Value{text(3, "\xff")}},
		"9.5 is not in -1…9":                               {Button: 1, Values: []Value{number(4, 9.5)}},
		"-1.5 is not in -1…9":                              {Button: 1, Values: []Value{number(4, -1.5)}},
		"NaN is not in":                                    {Button: 1, Values: []Value{number(6, math.NaN())}},
		"value = 3: must be a whole number, 1…2, or nil":   {Button: 1, Values: []Value{number(5, 3)}},
		"value = 1.5: must be a whole number, 1…2, or nil": {Button: 1, Values: []Value{number(7, 1.5)}},
	} {
		_, _, err := f.Read(&a)
		assert.ErrorContains(t, err, strings.TrimRight(want, " "))
	}
	quiet := Form{Rows: []Row{{Kind: Field, Name: "x", Length: 3}}}
	button, got, err = quiet.Read(&Answer{Button: NoButton, Values: []Value{text(0, "yes")}})
	require.NoError(t, err)
	assert.Equal(t, []any{"", []Entry{{"x", true, "yes", 0}}}, []any{button, got}, "a form without buttons")
}

// TestPlayersTypeValues reads what a player types in a terminal.
func TestPlayersTypeValues(t *testing.T) {
	f := every()
	for typed, want := range map[string]Value{
		"3 hello": {Row: 3, IsText: true, Text: "hello"}, "4 7": {Row: 4, Number: 7}, "5 2": {Row: 5, Number: 2}, "5 SAF": {Row: 5, Number: 2},
		"6 0.25": {Row: 6, Number: 0.25}, "7 bo": {Row: 7, Number: 2},
	} {
		var row int
		var text string
		_, _ = fmt.Sscan(typed, &row, &text)
		got, err := f.Parse(row, text)
		assert.NoError(t, err, typed)
		assert.Equal(t, want, got, typed)
	}
	for typed, want := range map[string]string{
		"4 x": `"x" is no number: must be -1…9`, "4 10": "10 is not in -1…9", "5 boat": `there is no choice "boat"`, "5 3": "must be a whole number, 1…2",
		"0 x": "the form has no such row", "99 x": "the form has no such row",
	} {
		var row int
		var text string
		_, _ = fmt.Sscan(typed, &row, &text)
		_, err := f.Parse(row, text)
		assert.ErrorContains(t, err, want, typed)
	}
	shown := func(i int, v *Value) string { return f.Rows[i].Shown(v) }
	assert.Equal(t, []string{"hi", "0.5", "fast", "0.5", "2", "you"}, []string{shown(3, nil), shown(4, nil), shown(5, nil), shown(6, nil), shown(7, nil), shown(3, &Value{IsText: true, Text: "you"})})
}

// TestIntegersHaveNoFractions: a field of whole numbers crosses the wire, and takes no fraction
// from an answer or a terminal. Its bounds and its first value are whole too.
func TestIntegersHaveNoFractions(t *testing.T) {
	f := Form{Number: 7, Name: "shop", Rows: []Row{{Kind: Field, Name: "n", Numeric: true, Integer: true, Min: -1, Max: 9, Value: 2}}}
	require.NoError(t, f.Check())
	var b Board
	show(t, &b, f, 0)
	assert.Equal(t, f.Rows, b.Forms()[0].Rows)
	for _, n := range []float64{0.5, -0.5, 8.999} {
		_, _, err := f.Read(&Answer{Button: NoButton, Values: []Value{{Number: n}}})
		assert.ErrorContains(t, err, fmt.Sprintf("%g is not whole: must be a whole number, -1…9", n))
		_, err = f.Parse(0, fmt.Sprint(n))
		assert.ErrorContains(t, err, "is not whole")
	}
	_, got, err := f.Read(&Answer{Button: NoButton, Values: []Value{{Number: 9}}})
	require.NoError(t, err)
	assert.Equal(t, []Entry{{Name: "n", Number: 9}}, got)
	for _, spoil := range []func(*Row){func(r *Row) { r.Min = -1.5 }, func(r *Row) { r.Max = 9.5 }, func(r *Row) { r.Value = 0.5 }} {
		bad := f
		bad.Rows = []Row{f.Rows[0]}
		spoil(&bad.Rows[0])
		assert.ErrorContains(t, bad.Check(), "5 is not whole: min, max and value of an integer must be")
	}
}

// TestABoardShowsTheNewestForms checks what a client keeps.
func TestABoardShowsTheNewestForms(t *testing.T) {
	var b Board
	numbers := func() (list []uint32) {
		for _, f := range b.Forms() {
			list = append(list, f.Number)
		}
		return list
	}
	add := func(number, replaces uint32) {
		f := every()
		f.Number = number
		show(t, &b, f, replaces)
	}
	add(1, 0)
	add(2, 0)
	add(3, 1)
	assert.Equal(t, []uint32{3, 2}, numbers(), "it has the place of the form that it replaces")
	assert.Equal(t, uint32(1), b.Find(3).Replaces)
	add(4, 1)
	assert.Equal(t, []uint32{3, 2, 4}, numbers(), "that form is closed")
	assert.Zero(t, b.Find(4).Replaces)

	require.NoError(t, b.Answer(&Answer{Number: 2, Button: 1}))
	assert.True(t, b.Find(2).Answered)
	assert.ErrorContains(t, b.Answer(&Answer{Number: 2, Button: 1}), "already answered")
	assert.ErrorContains(t, b.Answer(&Answer{Number: 3, Button: 0}), "no such row")
	assert.ErrorContains(t, b.Answer(&Answer{Number: 1, Button: 1}), "not open")
	require.NoError(t, b.Answer(&Answer{Number: 3, Closed: true}))
	assert.Equal(t, []uint32{2, 4}, numbers())
	assert.True(t, b.Remove(2))
	assert.False(t, b.Remove(2))

	for n := uint32(10); n < 10+2*maxShown; n++ {
		add(n, 0)
	}
	assert.Len(t, b.Forms(), maxShown)
	assert.Equal(t, uint32(9+2*maxShown), numbers()[maxShown-1])
	require.NoError(t, b.Add(&Piece{Number: 10, Rows: make([]Row, 3)}), "more of a form that is closed")
	for _, row := range []struct {
		want string
		p    Piece
	}{ // in order: a new form takes the place of the oldest
		{"comes twice", Piece{Head: true, Number: numbers()[0]}},
		{"more rows than the 12", Piece{Number: numbers()[0], Rows: make([]Row, 1)}},
		{"the form's name must be", Piece{Head: true, Number: 90, Total: 2, Rows: make([]Row, 1)}},
		{"a form needs a row", Piece{Head: true, Number: 91, Name: "x"}},
		{"bytes of text, with 4 for each row", Piece{Head: true, Number: 92, Name: "x", Total: 18, Rows: slices16(17)}},
		{"takes no name", Piece{Head: true, Number: 93, Name: "x", Total: 2, Rows: []Row{{Name: "x"}}}},
	} {
		assert.ErrorContains(t, b.Add(&row.p), row.want)
	}
}

// TestAPlayerNamesARow: a row has its number and its name, and a name of digits is a number.
func TestAPlayerNamesARow(t *testing.T) {
	var b Board
	var d Desk
	show(t, &b, Form{Name: "shop", Title: "Shop", Number: 1, Rows: []Row{
		{Text: "5 coins"}, {Kind: Field, Name: "to", Length: 9}, {Kind: Button, Name: "give", Text: "Give"}, {Kind: Button, Name: "1", Text: "One"}, {Kind: Button, Text: "Leave"},
	}}, 0)
	d.Take(b.Forms())
	a, err := d.Do([]string{"to", "Bob"})
	require.NoError(t, err)
	require.Nil(t, a)
	a, err = d.Do([]string{"give"})
	require.NoError(t, err)
	assert.Equal(t, &Answer{Number: 1, Button: 2, Values: []Value{{Row: 1, IsText: true, Text: "Bob"}}}, a)
	for typed, want := range map[string]string{"1": "item 1 needs a value: form 1 VALUE", "Leave": `"Leave" is none of the numbers 1…4 or the names of the form`, "": `"" is none of`} {
		_, err = d.Do([]string{typed})
		assert.ErrorContains(t, err, want)
	}
}

// TestAFieldCanHaveOneNumber: a field of the coins of a player is a form too if there is one coin,
// or none. A slider needs two places.
func TestAFieldCanHaveOneNumber(t *testing.T) {
	f := Form{Name: "x", Rows: []Row{{Kind: Field, Numeric: true, Name: "n", Min: 1, Max: 1, Value: 1, Integer: true}}}
	require.NoError(t, f.Check())
	for _, typed := range []string{"1", "1.0"} {
		_, err := f.Parse(0, typed)
		assert.NoError(t, err)
	}
	_, err := f.Parse(0, "2")
	assert.EqualError(t, err, "2 is not in 1…1")
	f.Rows[0].Value = 2
	assert.ErrorContains(t, f.Check(), "min below max")
	f.Rows[0] = Row{Kind: Field, Numeric: true, Name: "n", Min: 0.5, Max: 0.5, Value: 0.5, Integer: true}
	assert.ErrorContains(t, f.Check(), "0.5 is not whole")
	f.Rows[0] = Row{Kind: Field, Numeric: true, Name: "n", Min: math.Inf(1), Max: math.Inf(1), Value: math.Inf(1)}
	assert.ErrorContains(t, f.Check(), "two numbers")
	f.Rows[0] = Row{Kind: Slider, Name: "n", Min: 1, Max: 1, Value: 1}
	assert.ErrorContains(t, f.Check(), "min below max")
}

// TestATellerPrintsKeptValues: the next page of a form is printed with what the player has typed
// into the one before it, and each page once.
func TestATellerPrintsKeptValues(t *testing.T) {
	var b Board
	var d Desk
	var told Teller
	page := func(number, replaces uint32, coins string) []string {
		f := Form{Name: "shop", Title: "Shop", Number: number, Rows: []Row{
			{Text: coins}, {Kind: Field, Name: "to", Text: "Give to", Length: 9}, {Kind: Button, Name: "give", Text: "Give"},
		}}
		show(t, &b, f, replaces)
		d.Take(b.Forms())
		return told.News(&d)
	}
	lines := page(1, 0, "5 coins")
	require.Len(t, lines, 5)
	assert.Equal(t, []string{"Shop", "5 coins", "1  Give to: ", "2  [Give]"}, lines[:4])
	assert.Nil(t, told.News(&d))
	require.NoError(t, d.Set(1, "Bob"))
	assert.Nil(t, told.News(&d), "the player knows what it has typed")
	lines = page(2, 1, "4 coins")
	require.Len(t, lines, 5)
	assert.Equal(t, []string{"Shop", "4 coins", "1  Give to: Bob", "2  [Give]"}, lines[:4])
}

// FuzzPiece checks that no bits make the decoder panic or keep more than a form has, and that what
// it accepts is written the same way.
func FuzzPiece(f *testing.F) {
	form := every()
	for _, p := range append(form.Split(3), &Piece{Number: 1}) {
		w := bitstream.NewWriter(make([]byte, MaxBytes))
		p.Serialize(&w.Codec)
		f.Add(w.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Piece
		r := bitstream.NewReader(b)
		p.Serialize(&r.Codec)
		bytes := 0
		for i := range p.Rows {
			bytes += p.Rows[i].bytes()
		}
		require.LessOrEqual(t, bytes, MaxBytes+MaxText)
		require.LessOrEqual(t, len(p.Rows), MaxRows)
		if r.Err() != nil {
			return
		}
		w := bitstream.NewWriter(make([]byte, 8*MaxBytes))
		p.Serialize(&w.Codec)
		require.NoError(t, w.Err())
		var again Piece
		back := bitstream.NewReader(w.Bytes())
		again.Serialize(&back.Codec)
		require.NoError(t, back.Err())
		require.Equal(t, p, again)
		_ = new(Board).Add(&p)
	})
}

// FuzzAnswer checks the same for answers, and that what a mod gets of them fits the form.
func FuzzAnswer(f *testing.F) {
	for _, a := range []Answer{
		{Number: 7, Button: 1, Values: []Value{{Row: 3, IsText: true, Text: "hello"}, {Row: 4, Number: 0.5}, {Row: 7, Number: 1}}},
		{Number: 7, Closed: true}, {Number: 300, Button: NoButton},
	} {
		w := bitstream.NewWriter(make([]byte, MaxBytes))
		a.Serialize(&w.Codec)
		f.Add(w.Bytes())
	}
	form := every()
	f.Fuzz(func(t *testing.T, b []byte) {
		var a Answer
		r := bitstream.NewReader(b)
		a.Serialize(&r.Codec)
		bytes := 0
		for _, v := range a.Values {
			bytes += len(v.Text)
		}
		require.LessOrEqual(t, bytes, MaxBytes+MaxInput)
		if r.Err() != nil {
			return
		}
		var again Answer
		cross(t, a.Serialize, again.Serialize)
		require.Equal(t, a, again)
		button, entries, err := form.Read(&a)
		if err != nil {
			return
		}
		require.Contains(t, []string{"buy", "Leave"}, button)
		for _, e := range entries {
			require.Equal(t, e.Name == "note", e.IsText)
			require.LessOrEqual(t, len(e.Text), 20*4)
			require.True(t, finite(e.Number))
		}
	})
}

// TestTextsOfAPieceAreBounded reads texts that are far longer than their bits.
func TestTextsOfAPieceAreBounded(t *testing.T) {
	row := Row{Kind: Choice, Name: "x"}
	for range MaxChoices {
		row.Choices = append(row.Choices, strings.Repeat("e", MaxText))
	}
	p := Piece{Number: 1, Rows: []Row{row}}
	w := bitstream.NewWriter(make([]byte, 1<<20))
	p.Serialize(&w.Codec)
	require.NoError(t, w.Err())
	var got Piece
	r := bitstream.NewReader(w.Bytes())
	got.Serialize(&r.Codec)
	assert.ErrorIs(t, r.Err(), errBytes)

	a := Answer{Number: 1, Button: NoButton}
	for i := range MaxRows {
		a.Values = append(a.Values, Value{Row: i, IsText: true, Text: strings.Repeat("e", MaxInput)})
	}
	w = bitstream.NewWriter(make([]byte, 1<<20))
	a.Serialize(&w.Codec)
	require.NoError(t, w.Err())
	var answer Answer
	r = bitstream.NewReader(w.Bytes())
	answer.Serialize(&r.Codec)
	assert.ErrorIs(t, r.Err(), errBytes)
}
