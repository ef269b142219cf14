package game

import "github.com/torc-engine/torc/engine/sim"

// wireRounding rounds the positions, sizes and terrain parameters that movement depends on to the
// precision of the wire. The server and its ghosts therefore compute with the same numbers.
type wireRounding struct {
	position                *sim.Field
	size                    *sim.Field // of boxes
	square, height, roughly *sim.Field // of terrain
}

func newAlike(cs *sim.Classes) wireRounding {
	box, terrain := cs.Lookup(boxClass.Name), cs.Lookup(terrainBlockClass.Name)
	return wireRounding{
		box.Lookup("position"), box.Lookup("size"),
		terrain.Lookup("squareSize"), terrain.Lookup("height"), terrain.Lookup("roughness"),
	}
}

// place rounds a position.
func (a *wireRounding) place(v sim.Vec3) sim.Vec3 { return roundVecToField(a.position, v) }

// land returns the parameters of a terrain, rounded.
func (a *wireRounding) land(t *TerrainBlock) terrainParams {
	size := minSquares
	for size*2 <= t.size {
		size *= 2
	}
	return terrainParams{
		seed: t.seed, size: size, square: a.square.Rounded(t.squareSize),
		height: a.height.Rounded(t.height), roughness: a.roughly.Rounded(t.roughness), at: a.place(t.position),
	}
}

func roundVecToField(f *sim.Field, v sim.Vec3) sim.Vec3 {
	return sim.Vec3{X: f.Rounded(v.X), Y: f.Rounded(v.Y), Z: f.Rounded(v.Z)}
}
