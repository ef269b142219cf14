package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/form"
)

// A fakeForms is a client that shows forms.
type fakeForms struct {
	board form.Board
	desk  form.Desk
	sent  []form.Answer
}

func (f *fakeForms) Desk() *form.Desk { return &f.desk }

func (f *fakeForms) Answer(a form.Answer) error {
	err := f.board.Answer(&a)
	if err == nil {
		f.sent = append(f.sent, a)
	}
	f.desk.Take(f.board.Forms())
	return err
}

// show opens a form of rows.
func (f *fakeForms) show(t *testing.T, number, replaces uint32, rows ...form.Row) {
	shown := form.Form{Number: number, Name: "shop", Title: fmt.Sprint("Shop ", number), Rows: rows}
	require.NoError(t, shown.Check())
	for _, p := range shown.Split(replaces) {
		require.NoError(t, f.board.Add(p))
	}
	f.desk.Take(f.board.Forms())
}

var shopRows = []form.Row{
	{Text: "What do you\nwant?"},
	{Kind: form.Field, Name: "note", Text: "Note", Length: 20},
	{Kind: form.Choice, Name: "car", Text: "Car", Choices: []string{"fast", "safe"}},
	{Kind: form.Button, Name: "buy", Text: "Buy"},
	{Kind: form.Button, Text: "Leave"},
}

func formsView(t *testing.T) (*View, *fakeForms, *told) {
	v, sent := viewOf(t)
	f := new(fakeForms)
	v.forms = func() formSource { return f }
	return v, f, sent
}

// TestFormsAreUsedByKeys walks the items, types values and presses buttons.
func TestFormsAreUsedByKeys(t *testing.T) {
	v, f, sent := formsView(t)
	f.show(t, 1, 0, shopRows...)
	assert.Equal(t, []string{"Shop 1", "What do you", "want?", "> 1  Note: ", "2  Car: 1 fast  2 safe", "3  [Buy]", "4  [Leave]", formHint}, v.formLines(20))
	v.Handle(InputEvent{Key: Enter}, 0)
	v.types("héllo 1w")
	assert.Equal(t, "héllo 1w", v.scene.Input)
	v.Handle(InputEvent{Key: Enter}, 0)
	assert.Contains(t, v.formLines(20), "1  Note: héllo 1w")
	v.types("2")
	v.types("sa")
	v.Handle(InputEvent{Key: Enter}, 0)
	assert.Contains(t, v.formLines(20), "2  Car: 1 fast  2 [safe]")
	assert.Contains(t, v.formLines(20), "> 3  [Buy]")
	v.Handle(InputEvent{Key: ArrowDown}, 0)
	v.Handle(InputEvent{Key: ArrowDown}, 0)
	v.Handle(InputEvent{Key: ArrowUp}, 0)
	v.Handle(InputEvent{Key: Enter}, 0)
	require.Len(t, f.sent, 1)
	assert.Equal(t, form.Answer{Number: 1, Button: 3, Values: []form.Value{{Row: 1, IsText: true, Text: "héllo 1w"}, {Row: 2, Number: 2}}}, f.sent[0])
	assert.Contains(t, v.formLines(20), "(sent)")
	assert.Empty(t, *sent, "no key went to the game")
	v.types("e")
	assert.Equal(t, told{"Key use"}, *sent, "other keys do")
	assert.False(t, v.Handle(InputEvent{Key: Escape}, 0), "it closes the form, not the view")
	assert.True(t, f.sent[1].Closed)
	assert.Empty(t, v.formLines(20))
	assert.True(t, v.Handle(InputEvent{Key: Escape}, 0))
}

// TestAFormWithoutItemsTakesNoKeys of the game, such as the scores of a match. Enter and Esc close
// it.
func TestAFormWithoutItemsTakesNoKeys(t *testing.T) {
	v, f, sent := formsView(t)
	for n, key := range []KeyPress{Enter, Escape} {
		*sent = nil
		f.show(t, uint32(n+1), 0, form.Row{Kind: form.Table, Choices: []string{"Name"}, Cells: []string{"Ann"}})
		v.types("2")
		v.Handle(InputEvent{Key: ArrowLeft}, 0)
		assert.Equal(t, told{"Key slot2"}, *sent)
		assert.Len(t, f.sent, n)
		assert.False(t, v.Handle(InputEvent{Key: key}, 0))
		require.Len(t, f.sent, n+1)
		assert.True(t, f.sent[n].Closed)
	}
}

// TestTheFirstDigitReplacesANumber: backspace edits it, and a text is continued.
func TestTheFirstDigitReplacesANumber(t *testing.T) {
	v, f, _ := formsView(t)
	f.show(t, 1, 0,
		form.Row{Kind: form.Field, Name: "count", Text: "Count", Numeric: true, Min: 0, Max: 99, Value: 1},
		form.Row{Kind: form.Field, Name: "note", Text: "Note", Length: 20, Input: "old"})
	typed := func(text string, keys ...KeyPress) string {
		for _, k := range keys {
			v.Handle(InputEvent{Key: k}, 0)
		}
		v.types(text)
		is := v.scene.Input
		v.Handle(InputEvent{Key: Escape}, 0)
		return is
	}
	v.types("1")
	assert.Equal(t, "1", typed(""), "the value is shown")
	v.types("1")
	assert.Equal(t, "15", typed("15"))
	v.types("1")
	assert.Equal(t, "7", typed("7", Backspace))
	v.types("2")
	assert.Equal(t, "older", typed("er"))
	v.types("1")
	v.types("12")
	v.Handle(InputEvent{Key: Enter}, 0)
	assert.Contains(t, v.formLines(20), "1  Count: 12  (0…99)")
	v.types("1")
	assert.Equal(t, "1", typed("", Backspace), "of 12")
	v.types("1")
	v.Handle(InputEvent{Key: Escape}, 0)
	v.types("t")
	assert.Equal(t, "hi", typed("hi"), "a chat line is whole")
}

// TestAFormInThePlaceOfAnotherKeepsTheTypedText and another form does not.
func TestAFormInThePlaceOfAnotherKeepsTheTypedText(t *testing.T) {
	v, f, _ := formsView(t)
	f.show(t, 1, 0, shopRows...)
	v.types("1")
	v.types("abc")
	f.show(t, 2, 1, append([]form.Row{{Text: "News"}}, shopRows...)...)
	v.types("d")
	v.formLines(20)
	assert.Equal(t, "abcd", v.scene.Input)
	v.Handle(InputEvent{Key: Enter}, 0)
	assert.Contains(t, v.formLines(20), "1  Note: abcd")
	f.show(t, 3, 2, shopRows...)
	assert.Contains(t, v.formLines(20), "1  Note: abcd")
	v.types("1x")
	f.show(t, 4, 0, shopRows...)
	assert.Contains(t, v.formLines(20), "> 1  Note: ")
	assert.False(t, v.scene.Typing)
}

// TestLongFormsAreScrolled keeps the marked row visible.
func TestLongFormsAreScrolled(t *testing.T) {
	v, f, _ := formsView(t)
	var rows []form.Row
	for i := range 200 {
		rows = append(rows, form.Row{Kind: form.Button, Text: fmt.Sprint("Item ", i)})
	}
	f.show(t, 1, 0, rows...)
	for range 150 {
		v.Handle(InputEvent{Key: ArrowDown}, 0)
	}
	lines := v.formLines(10)
	assert.Len(t, lines, 10)
	assert.Contains(t, strings.Join(lines, "\n"), "> 151  [Item 150]")
}
