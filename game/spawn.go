package game

import "github.com/torc-engine/torc/engine/sim"

// SpawnSphere is a place where players spawn, anywhere within radius metres of its middle.
type SpawnSphere struct {
	Marker
	radius float64
	team   int
}

// Team returns the team that spawns here, 0 for any.
func (s *SpawnSphere) Team() int { return s.team }

// Place returns the position and the radius of the sphere.
func (s *SpawnSphere) Place() sim.Place {
	p := s.SceneObject.Place()
	p.Radius = s.radius
	return p
}

const spawnGroup = 3

var spawnSphereClass = sim.Class{
	Name: "SpawnSphere", Parent: "Marker", New: func() sim.Object { return &SpawnSphere{radius: 5} },
	Doc: "A spawn point for players.",
	Fields: []sim.Field{
		sim.FloatField("radius", spawnGroup, 0, 1024, func(s *SpawnSphere) *float64 { return &s.radius }).
			WithBits(16).WithDoc("the largest distance of a spawned player from its centre, in metres"),
		sim.IntField("team", spawnGroup, 0, MaxTeam, func(s *SpawnSphere) *int { return &s.team }).
			WithDoc("the team that spawns here; 0 means every team"),
	},
}
