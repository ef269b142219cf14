package game

import "github.com/torc-engine/torc/engine/sim"

// landGroup is the field group of the terrain parameters.
const landGroup = turnGroup + 1

// The minimum and maximum number of squares per side.
const (
	minSquares = 16
	maxSquares = 256
)

// TerrainBlock is the ground of a world: hills generated from a seed, the same on every machine.
// They repeat infinitely in all directions. If a world has several, the newest one is the ground.
type TerrainBlock struct {
	SceneObject
	seed, size                    int
	squareSize, height, roughness float64
}

// Entered makes the terrain the ground of its world.
func (t *TerrainBlock) Entered() { spaceOf(t.World()).setTerrain(t) }

// Left removes the terrain from its world.
func (t *TerrainBlock) Left() { spaceOf(t.World()).removeTerrain(t) }

// Tick regenerates the relief if a script changed the terrain.
func (t *TerrainBlock) Tick(uint64) { spaceOf(t.World()).setTerrain(t) }

// Received handles an update of the fields. before is the previous Place.
func (t *TerrainBlock) Received(before sim.Place) {
	t.SceneObject.Received(before)
	if t.Alive() {
		spaceOf(t.World()).setTerrain(t)
	}
}

// landNumber makes a terrain field with values on a grid of step.
func landNumber(name string, lo, hi, step float64, at func(*TerrainBlock) *float64, doc string) sim.Field {
	return sim.FloatField(name, landGroup, lo, hi, at).WithStep(step).WithDoc(doc)
}

var terrainBlockClass = sim.Class{
	Name: "TerrainBlock", Parent: "SceneObject", Moves: true,
	New: func() sim.Object {
		return &TerrainBlock{seed: 1, size: 128, squareSize: 8, height: 60, roughness: 0.375}
	},
	Doc:    "The ground: hills generated from a seed that repeat endlessly. Its position is the centre of the first tile, at the lowest height.",
	Always: true,
	Fields: []sim.Field{
		sim.IntField("seed", landGroup, 0, 1<<31-1, func(t *TerrainBlock) *int { return &t.seed }).
			WithDoc("the seed of the generator; each seed makes another terrain"),
		sim.IntField("size", landGroup, minSquares, maxSquares, func(t *TerrainBlock) *int { return &t.size }).
			WithDoc("the squares per side of a tile: 16, 32, 64, 128 or 256; other values are rounded down to one of these"),
		landNumber("squareSize", 1, 64, 0.25, func(t *TerrainBlock) *float64 { return &t.squareSize },
			"the side of a square, in metres"),
		landNumber("height", 0, 2000, 0.25, func(t *TerrainBlock) *float64 { return &t.height },
			"the difference between the lowest and the highest possible ground, in metres"),
		landNumber("roughness", 0, 1, 1.0/256, func(t *TerrainBlock) *float64 { return &t.roughness },
			"the share of small features: 0 is smooth, 1 is jagged"),
	},
}
