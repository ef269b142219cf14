package scene

import (
	"math"

	"github.com/torc-engine/torc/game/look"
)

// The words of a row of a Slab. A word without another type in its comment is a float32.
const (
	WordID       = 0  // uint32: the id of the object
	WordKind     = 1  // uint32: the Kind
	WordFlags    = 2  // uint32: FlagOwn and so on
	WordTeam     = 3  // uint32: 0 is none
	WordPosition = 4  // X, Y, Z in metres
	WordRotation = 7  // yaw, pitch, roll in degrees
	WordVelocity = 10 // X, Y, Z in metres per second
	WordSize     = 13 // X, Y, Z in metres; X of a Burst is its radius at its end
	WordHealth   = 16 // 0…1; below 0: it cannot be damaged
	WordEnergy   = 17 // 0…1; below 0: it has none
	WordAge      = 18 // of a Burst, 0…1
	WordMount    = 19 // uint32: the id of the object that it sits on, or that fired it; 0 for none
	WordName     = 20 // uint32: a number for Slab.Text; 0 is no name
	WordShape    = 21 // uint32: likewise
	WordStates   = 22 // uint32: the bits of look.State
	WordState    = 23 // uint32: a number for Slab.Text, of the state of its own
	WordLook     = 24 // uint32: likewise, of the text of its look
	WordHeld     = 25 // uint32: likewise, of the look of what it holds
	WordFade     = 26 // 0: visible, 1: invisible
	RowWords     = 27
)

// The flags of a row.
const (
	FlagOwn  = 1 << iota // this client controls it
	FlagDown             // destroyed
)

const (
	// MaxRows is the number of rows that a Slab has room for.
	MaxRows = 4096
	// maxTexts is the number of different texts of one edition.
	maxTexts = 8192
)

// A Slab holds the things of a frame as rows of 32-bit words in one array. The array never moves.
type Slab struct {
	Words   [MaxRows * RowWords]uint32
	Rows    int    // in use
	Edition uint32 // numbers of texts belong to an edition; a new edition begins when there are too many

	texts   []string
	numbers map[string]uint32
	before  [MaxRows]rowTexts
}

// rowTexts are the texts of a row in the frame before. Most rows keep them, and a comparison is
// cheaper than a lookup in numbers.
type rowTexts struct{ name, shape, state, look, held numberedText }

type numberedText struct {
	text   string
	number uint32
}

// NewSlab returns an empty slab.
func NewSlab() *Slab {
	s := &Slab{}
	s.forget()
	return s
}

// Fill replaces the rows. If there are too many things, the last row is the own object.
func (s *Slab) Fill(things []Thing) {
	if len(s.texts) > maxTexts {
		s.forget()
	}
	s.Rows = min(len(things), MaxRows)
	for i := range things[:s.Rows] {
		s.row(i, &things[i])
	}
	for i := s.Rows; i < len(things); i++ {
		if things[i].Own {
			s.row(s.Rows-1, &things[i])
		}
	}
}

// Move updates the rows after Reader.Move: only places and ages have changed, unless an explosion
// has ended.
func (s *Slab) Move(things []Thing) {
	if len(things) != s.Rows {
		s.Fill(things)
		return
	}
	for i := range things {
		w, t := s.Words[i*RowWords:(i+1)*RowWords:(i+1)*RowWords], &things[i]
		place(w, t)
		w[WordAge] = math.Float32bits(float32(t.Age))
	}
}

func place(w []uint32, t *Thing) {
	floats(w[WordPosition:], t.Position.X, t.Position.Y, t.Position.Z)
	floats(w[WordRotation:], t.Rotation.Yaw, t.Rotation.Pitch, t.Rotation.Roll)
	floats(w[WordVelocity:], t.Velocity.X, t.Velocity.Y, t.Velocity.Z)
}

// row sets the words of row i.
func (s *Slab) row(i int, t *Thing) {
	w := s.Words[i*RowWords : (i+1)*RowWords : (i+1)*RowWords]
	w[WordID], w[WordKind], w[WordTeam], w[WordMount] = uint32(t.ID), uint32(t.Kind), uint32(t.Team), uint32(t.Mount)
	w[WordFlags] = 0
	if t.Own {
		w[WordFlags] |= FlagOwn
	}
	if t.Down() {
		w[WordFlags] |= FlagDown
	}
	place(w, t)
	floats(w[WordSize:], t.Size.X, t.Size.Y, t.Size.Z)
	floats(w[WordHealth:], t.Health, t.Energy, t.Age)
	w[WordFade] = math.Float32bits(float32(t.Fade))
	before := &s.before[i]
	w[WordStates], w[WordState] = uint32(t.States), s.number(&before.state, t.State)
	w[WordName], w[WordShape] = s.number(&before.name, t.Name), s.number(&before.shape, t.Shape)
	w[WordLook], w[WordHeld] = s.number(&before.look, textOf(t.Look)), s.number(&before.held, textOf(t.Held))
}

func textOf(l *look.Look) string {
	if l == nil {
		return ""
	}
	return l.Text()
}

func floats(w []uint32, a, b, c float64) {
	w[0], w[1], w[2] = math.Float32bits(float32(a)), math.Float32bits(float32(b)), math.Float32bits(float32(c))
}

// number returns the number of a text. The texts of a frame can exceed maxTexts by those of MaxRows
// rows.
func (s *Slab) number(before *numberedText, text string) uint32 {
	if text == before.text {
		return before.number
	}
	n, known := s.numbers[text]
	if !known {
		n = uint32(len(s.texts))
		s.texts, s.numbers[text] = append(s.texts, text), n
	}
	*before = numberedText{text, n}
	return n
}

// Text returns the text of a number, "" if there is none.
func (s *Slab) Text(n uint32) string {
	if int(n) >= len(s.texts) {
		return ""
	}
	return s.texts[n]
}

// forget begins a new edition of texts.
func (s *Slab) forget() {
	s.Edition++
	s.texts, s.numbers = append(s.texts[:0], ""), map[string]uint32{"": 0}
	clear(s.before[:])
}
