package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/torc-engine/torc/engine/sim"
)

// Default radar size in characters. A character is about twice as high as wide.
const (
	RadarWidth  = 61
	RadarHeight = 25
)

// A blip is an object on the radar.
type blip struct {
	class  *sim.Class
	at     sim.Vec3 // relative to the centre
	weight uint8
}

// Radar draws the objects that a connection sees, as lines of text. On the sending side these are
// the objects in the peer's scope, on the receiving side its ghosts. The viewer is a pointer in the
// centre. X grows to the right, Y upwards. Each class has a letter, explained below the picture.
// width and height are in characters, at least 3.
func (i *Inspector) Radar(c *Connection, width, height int) []string {
	width, height = max(width, 3), max(height, 3)
	viewer, middle, blips := c.Visible.blips()
	slices.SortStableFunc(blips, func(a, b blip) int { return int(a.weight) - int(b.weight) })
	metres := radarScale(blips, c.Visible.radarRange(), width, height)
	letters := classLetters(blips)
	rows := make([][]rune, height)
	for y := range rows {
		rows[y] = []rune(strings.Repeat(".", width))
	}
	outside := 0
	for _, b := range blips { // ascending weight, so that the most important is on top
		x := width/2 + int(math.Round(b.at.X/metres))
		y := height/2 - int(math.Round(b.at.Y/(2*metres)))
		if x < 0 || x >= width || y < 0 || y >= height {
			outside++
			continue
		}
		rows[y][x] = letters[b.class]
	}
	rows[height/2][width/2] = viewer
	lines := make([]string, 0, height+len(letters)+2)
	for _, row := range rows {
		lines = append(lines, string(row))
	}
	lines = append(lines, fmt.Sprintf("%c is at %.0f %.0f %.0f; a character is %g m wide and %g m high",
		viewer, middle.X, middle.Y, middle.Z, metres, 2*metres))
	if outside > 0 {
		lines = append(lines, fmt.Sprintf("%d are too far away to draw", outside))
	}
	return append(lines, legend(blips, letters)...)
}

// blips returns the objects around the centre. viewer is the character in the centre.
func (v *VisibleSet) blips() (viewer rune, middle sim.Vec3, blips []blip) {
	if v.stage == stageOff {
		return v.conn.PeerGhosts.blips()
	}
	viewer = '+'
	if v.camera.on {
		viewer, middle = pointer(v.camera.look), v.camera.at.vec()
	}
	for n := range v.in.all() {
		b, src := &v.scope.bodies[n], &v.scope.sources[n]
		if b.flags&bodyPlaced == 0 || n == v.camera.self {
			continue
		}
		blips = append(blips, blip{src.object.Ident().Class(), b.at.vec().Sub(middle), v.weight(n)})
	}
	return viewer, middle, blips
}

// blips returns the peer's ghosts. This side does not know the peer's camera, so the centre is
// that of all ghosts.
func (t *PeerGhosts) blips() (viewer rune, middle sim.Vec3, blips []blip) {
	t.Each(func(o sim.Object) bool {
		if p, ok := o.(sim.Placer); ok {
			blips = append(blips, blip{class: o.Ident().Class(), at: pointOf(p.Place().Position).vec()})
		}
		return true
	})
	if len(blips) == 0 {
		return '+', middle, nil
	}
	low, high := blips[0].at, blips[0].at
	for _, b := range blips {
		low = sim.Vec3{X: min(low.X, b.at.X), Y: min(low.Y, b.at.Y), Z: min(low.Z, b.at.Z)}
		high = sim.Vec3{X: max(high.X, b.at.X), Y: max(high.Y, b.at.Y), Z: max(high.Z, b.at.Z)}
	}
	middle = low.Add(high).Div(2)
	for i := range blips {
		blips[i].at = blips[i].at.Sub(middle)
	}
	return '+', middle, blips
}

// pointer returns an arrow for a view direction, seen from above.
func pointer(look point) rune {
	switch {
	case look.x == 0 && look.y == 0:
		return '+'
	case max(look.x, -look.x) > max(look.y, -look.y):
		if look.x > 0 {
			return '>'
		}
		return '<'
	case look.y > 0:
		return '^'
	}
	return 'v'
}

// radarRange returns the distance in metres that the picture must cover: the view distance, or
// infinity without a camera.
func (v *VisibleSet) radarRange() float64 {
	if v.stage != stageOff && v.camera.on {
		return v.view.Distance * scopeSlack
	}
	return math.Inf(1)
}

// radarScale returns the width of a character in metres: 1, 2 or 5 times a power of ten. The
// picture then covers all blips within the range.
func radarScale(blips []blip, within float64, width, height int) float64 {
	need := 0.0
	for _, b := range blips {
		x, y := math.Abs(b.at.X), math.Abs(b.at.Y)
		if max(x, y) <= within {
			need = max(need, x/float64((width-1)/2), y/float64(2*((height-1)/2)))
		}
	}
	for scale := 1.0; scale < 2*farthest; scale *= 10 {
		for _, step := range [...]float64{1, 2, 5} {
			if need <= step*scale {
				return step * scale
			}
		}
	}
	return farthest
}

// classLetters assigns a letter to each class, from its name if possible.
func classLetters(blips []blip) map[*sim.Class]rune {
	const spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuwxyz0123456789"
	letters := map[*sim.Class]rune{}
	used := map[rune]bool{'v': true, '.': true}
	for _, class := range classesOf(blips) {
		letter := '*'
		for _, r := range strings.ToUpper(class.Name) + spare {
			if !used[r] && r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
				letter = r
				break
			}
		}
		letters[class], used[letter] = letter, true
	}
	return letters
}

// classesOf returns the classes on the radar, sorted by name.
func classesOf(blips []blip) (classes []*sim.Class) {
	for _, b := range blips {
		if !slices.Contains(classes, b.class) {
			classes = append(classes, b.class)
		}
	}
	slices.SortFunc(classes, func(a, b *sim.Class) int { return strings.Compare(a.Name, b.Name) })
	return classes
}

func legend(blips []blip, letters map[*sim.Class]rune) (lines []string) {
	count := map[*sim.Class]int{}
	for _, b := range blips {
		count[b.class]++
	}
	for _, class := range classesOf(blips) {
		lines = append(lines, fmt.Sprintf("%c %s %d", letters[class], class.Name, count[class]))
	}
	return lines
}
