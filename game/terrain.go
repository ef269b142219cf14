package game

import "github.com/torc-engine/torc/engine/sim"

// landGroup is what a terrain is made of.
const landGroup = turnGroup + 1

// The least and the most squares that a terrain has a side.
const (
	minSquares = 16
	maxSquares = 256
)

// TerrainBlock is the ground of a world: hills that a seed grows, alike on every
// machine. They repeat in all directions, for ever. The newest one counts.
type TerrainBlock struct {
	SceneObject
	seed, size                    int
	squareSize, height, roughness float64
}

// Entered is told that it is in its world.
func (t *TerrainBlock) Entered() { spaceOf(t.World()).cover(t) }

// Left is told that it leaves its world.
func (t *TerrainBlock) Left() { spaceOf(t.World()).uncover(t) }

// Tick notes what scripts have made of it.
func (t *TerrainBlock) Tick(uint64) { spaceOf(t.World()).cover(t) }

// Received is told that an update has set fields, and what Place was before.
func (t *TerrainBlock) Received(before sim.Place) {
	t.SceneObject.Received(before)
	if t.Alive() {
		spaceOf(t.World()).cover(t)
	}
}

// landNumber is a field that a land is made of, whose values are on a grid.
func landNumber(name string, lo, hi, step float64, at func(*TerrainBlock) *float64, doc string) sim.Field {
	return sim.FloatField(name, landGroup, lo, hi, at).WithStep(step).WithDoc(doc)
}

var terrainBlockClass = sim.Class{
	Name: "TerrainBlock", Parent: "SceneObject",
	New: func() sim.Object {
		return &TerrainBlock{seed: 1, size: 128, squareSize: 8, height: 60, roughness: 0.375}
	},
	Doc:    "The ground: hills that grow from a seed and repeat for ever. Its position is the middle of the first, at their foot.",
	Always: true,
	Fields: []sim.Field{
		sim.IntField("seed", landGroup, 0, 1<<31-1, func(t *TerrainBlock) *int { return &t.seed }).
			WithDoc("which of all terrains it is"),
		sim.IntField("size", landGroup, minSquares, maxSquares, func(t *TerrainBlock) *int { return &t.size }).
			WithDoc("squares a side before it repeats: 16, 32, 64, 128 or 256; what is between counts as the one below"),
		landNumber("squareSize", 1, 64, 0.25, func(t *TerrainBlock) *float64 { return &t.squareSize },
			"the side of a square, in metres"),
		landNumber("height", 0, 2000, 0.25, func(t *TerrainBlock) *float64 { return &t.height },
			"from the lowest that can be to the highest, in metres"),
		landNumber("roughness", 0, 1, 1.0/256, func(t *TerrainBlock) *float64 { return &t.roughness },
			"how much the small is worth beside the large: 0 is smooth, 1 is jagged"),
	},
}
