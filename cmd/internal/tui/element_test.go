package tui

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/form"
)

// TestElementsAtPlaces draws text at places of the screen, and cuts what has no room.
func TestElementsAtPlaces(t *testing.T) {
	s := Scene{Width: 30, Height: 14}
	for i, text := range []string{"nw", "n", "ne", "w", "mid", "e", "sw", "s", "se"} {
		s.Elements[i] = []string{text, text + "2"}
	}
	s.Hud[1] = "Red 1"
	var c Frame
	c.Draw(&s)
	rows := strings.Split(c.String(), "\n")
	find := func(text string) (x, y int) {
		for y, row := range rows {
			if before, _, ok := strings.Cut(row+" ", " "+text+" "); ok {
				return utf8.RuneCountInString(before), y
			}
		}
		return -1, -1
	}
	for text, want := range map[string][2]int{
		"nw": {0, 4}, "n": {13, 4}, "ne": {25, 4}, "w": {0, 6}, "e": {26, 6}, "sw": {0, 9}, "s": {13, 9}, "se": {25, 9},
	} {
		x, y := find(text)
		assert.Equal(t, want, [2]int{x, y}, text)
	}
	assert.Contains(t, rows[0], "Red 1")
	s.Elements[0] = make([]string, 100)
	for i := range s.Elements[0] {
		s.Elements[0][i] = strings.Repeat("x", 100)
	}
	c.Draw(&s)
	assert.NotContains(t, strings.Split(c.String(), "\n")[13], "x", "the bars stay")
}

// TestScoresAreAnElement: the columns of its table stand below each other, and spectators ask for
// it.
func TestScoresAreAnElement(t *testing.T) {
	list := []*form.Element{
		{Name: form.Scores, At: 4, Rows: []form.Row{{Kind: form.Table, Choices: []string{"score", "player"}, Cells: []string{"7", "Ann", "12", "Zo"}}}},
		{Name: "clock", At: 4, Rows: []form.Row{{Text: "0:59"}}},
	}
	assert.Equal(t, []string{"score  player", "7      Ann", "12     Zo", "0:59"}, placed(list, true)[4])
	assert.Equal(t, []string{"0:59"}, placed(list, false)[4])
}
