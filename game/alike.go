package game

import "github.com/torc-engine/torc/engine/sim"

// alike rounds the positions, sizes and terrain parameters that movement depends on to the
// precision of the wire. The server and its ghosts therefore compute with the same numbers.
type alike struct {
	position                *sim.Field
	size                    *sim.Field // of boxes
	square, height, roughly *sim.Field // of terrain
}

func newAlike(cs *sim.Classes) alike {
	box, terrain := cs.Lookup(boxClass.Name), cs.Lookup(terrainBlockClass.Name)
	return alike{
		box.Lookup("position"), box.Lookup("size"),
		terrain.Lookup("squareSize"), terrain.Lookup("height"), terrain.Lookup("roughness"),
	}
}

// place rounds a position.
func (a *alike) place(v sim.Vec3) sim.Vec3 { return rounded(a.position, v) }

// land returns the parameters of a terrain, rounded.
func (a *alike) land(t *TerrainBlock) land {
	size := minSquares
	for size*2 <= t.size {
		size *= 2
	}
	return land{
		seed: t.seed, size: size, square: a.square.Rounded(t.squareSize),
		height: a.height.Rounded(t.height), roughness: a.roughly.Rounded(t.roughness), at: a.place(t.position),
	}
}

func rounded(f *sim.Field, v sim.Vec3) sim.Vec3 {
	return sim.Vec3{X: f.Rounded(v.X), Y: f.Rounded(v.Y), Z: f.Rounded(v.Z)}
}
