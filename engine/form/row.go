package form

import (
	"slices"

	"github.com/torc-engine/torc/engine/picture"
)

// The limits of a form.
const (
	MaxOpen    = 4        // forms of a client at a time
	MaxRows    = 256      // rows of a form
	MaxBytes   = 16 << 10 // bytes of the texts of a form, and rowBytes for each row
	MaxName    = 32       // bytes of the name of a form or of a row
	MaxTitle   = 128      // bytes of a title
	MaxText    = 1024     // bytes of the text of a row, of a choice and of a cell
	MaxInput   = 1024     // bytes that a player can type into a field
	MaxChoices = 255      // choices of a row, and rows of a table
	MaxColumns = 16       // columns of a table

	rowBytes = 4 // price of a row, so that rows without texts have one
)

// Pressed is the name of the pressed button among the values of an answer. No row can have it.
const Pressed = "button"

// Kind is the kind of a row.
type Kind uint8

// The kinds of rows. Field, Choice, Slider and Table have a value; that of a Table is the chosen
// row.
const (
	Text   Kind = iota // a text
	Button             // a button, which ends the form with an answer
	Field              // a line for a text or a number
	Choice             // one of several texts
	Slider             // a number in a range
	Table              // a table of texts; with a name the player can choose a row of it
	Bar                // a part of a whole, 0…1
	Look               // what the objects of a datablock look like
	Image              // a picture of the mod; its text says what it shows
	Kinds
)

// KindNames are the names of the kinds in mods.
var KindNames = [Kinds]string{"text", "button", "field", "choice", "slider", "table", "bar", "look", "image"}

// RowKeys are the keys of a row in mods, by its kind.
var RowKeys = [Kinds][]string{
	Text:   {"kind", "text"},
	Button: {"kind", "name", "text"},
	Field:  {"kind", "name", "text", "value", "length", "min", "max", "integer"},
	Choice: {"kind", "name", "text", "choices", "value"},
	Slider: {"kind", "name", "text", "min", "max", "step", "value"},
	Table:  {"kind", "name", "text", "columns", "rows", "value"},
	Bar:    {"kind", "text", "value"},
	Look:   {"kind", "text", "look"},
	Image:  {"kind", "text", "picture"},
}

// ElementKinds returns the names of the kinds of rows that an Element can have.
func ElementKinds() (names []string) {
	for k := range Kinds {
		if k.Shown() {
			names = append(names, KindNames[k])
		}
	}
	return names
}

// ElementKeys returns the keys of a row of an Element in mods: nothing in it can be chosen.
func ElementKeys(k Kind) []string {
	if k != Table {
		return RowKeys[k]
	}
	return slices.DeleteFunc(slices.Clone(RowKeys[k]), func(key string) bool { return key == "name" || key == "value" })
}

// String returns the name of a kind.
func (k Kind) String() string {
	if k >= Kinds {
		return "unknown"
	}
	return KindNames[k]
}

// One returns the name of a kind with an article.
func (k Kind) One() string {
	if k == Image {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// named reports whether rows of the kind can have a name.
func (k Kind) named() bool {
	return k == Button || k == Field || k == Choice || k == Slider || k == Table
}

// A Row is a row of a form. Its kind decides which fields count.
type Row struct {
	Kind Kind
	Name string // of the value in an answer, or of a button; "" for a button is its text
	Text string // of the row, or before its value

	// Value is what the row has at first: the number of a Field with numbers, the number of a
	// choice or of a table's row from 1, 0 for none, the place of a Slider, or the part of a Bar,
	// 0…1.
	Value float64
	// Input is the text of a Field at first.
	Input string
	// Length is how many bytes the text of a Field can have, 1…MaxInput.
	Length int
	// Numeric means that a Field has a number of Min…Max.
	Numeric bool
	// Integer means that the number of a Field is whole, and so are Min and Max.
	Integer bool
	// Min and Max are the range of a Slider or of a Field with numbers. Step is the distance
	// between two places of a Slider, 0 for any.
	Min, Max, Step float64
	// Choices are the texts of a Choice, or the heads of the columns of a Table.
	Choices []string
	// Cells are the texts of a Table, row by row.
	Cells []string
	// Block is the datablock of a Look: its number at the server + 1, 0 for none.
	Block int
	// Image is the number of the picture of an Image on the connection.
	Image uint32
	// Picture is the picture of an Image. On a client it is nil until it has arrived.
	Picture *picture.Picture
}

// label returns the name by which an answer tells of a button.
func (r *Row) label() string {
	if r.Name == "" {
		return r.Text
	}
	return r.Name
}

// Lines returns the number of rows in a Table.
func (r *Row) Lines() int {
	if len(r.Choices) == 0 {
		return 0
	}
	return len(r.Cells) / len(r.Choices)
}

// Answers reports whether an answer can have a value for the row.
func (r *Row) Answers() bool {
	return r.Kind == Field || r.Kind == Choice || r.Kind == Slider || r.Kind == Table && r.Name != ""
}

// bytes returns how much of MaxBytes the row takes.
func (r *Row) bytes() int {
	n := rowBytes + len(r.Name) + len(r.Text) + len(r.Input)
	for _, s := range r.Choices {
		n += len(s)
	}
	for _, s := range r.Cells {
		n += len(s)
	}
	return n
}

// A Form is a window of rows for one player.
type Form struct {
	Name  string // the mod's; not unique among the mods of a server
	Title string
	Rows  []Row

	// Number is that of the form at its server; it names the form in answers.
	Number uint32

	// The rest is known on the client side only.

	Replaces uint32 // the number of the form whose place it took; 0: none
	Total    int    // rows that the form will have, when all pieces have arrived
	Answered bool   // the player has answered, and the server has not closed the form yet

	bytes int // of MaxBytes
}

// Complete reports whether all rows of a form have arrived at the client.
func (f *Form) Complete() bool { return len(f.Rows) >= f.Total }
