package game_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// Classes of another package, one from each class of game, with their datablocks.
type (
	ownPlayer     struct{ game.Player }
	ownVehicle    struct{ game.Vehicle }
	ownTurret     struct{ game.Turret }
	ownShape      struct{ game.StaticShape }
	ownItem       struct{ game.Item }
	ownProjectile struct{ game.Projectile }
	ownTrigger    struct{ game.Trigger }
	ownCamera     struct{ game.Camera }
	ownMarker     struct{ game.Marker }
	ownSpawn      struct{ game.SpawnSphere }
	ownWayPoint   struct{ game.WayPoint }
	ownBox        struct{ game.Box }
	ownTerrain    struct{ game.TerrainBlock }
	ownScene      struct{ game.SceneObject }

	ownPlayerData     struct{ game.PlayerData }
	ownVehicleData    struct{ game.VehicleData }
	ownTurretData     struct{ game.TurretData }
	ownShapeData      struct{ game.StaticShapeData }
	ownItemData       struct{ game.ItemData }
	ownProjectileData struct{ game.ProjectileData }
	ownTriggerData    struct{ game.TriggerData }
	ownImageData      struct{ game.ShapeBaseImageData }
	ownBaseData       struct{ game.ShapeBaseData }

	ownBase struct{ game.ShapeBase }
)

// own has a row for each of these classes: its parent, its objects, and the class of the datablock
// that they need.
var own = []struct {
	parent string
	make   func() sim.Object
	data   string
}{
	{"PlayerData", func() sim.Object { return &ownPlayerData{game.Defaults[game.PlayerData]()} }, ""},
	{"VehicleData", func() sim.Object { return &ownVehicleData{game.Defaults[game.VehicleData]()} }, ""},
	{"TurretData", func() sim.Object { return &ownTurretData{game.Defaults[game.TurretData]()} }, ""},
	{"StaticShapeData", func() sim.Object { return &ownShapeData{game.Defaults[game.StaticShapeData]()} }, ""},
	{"ItemData", func() sim.Object { return &ownItemData{game.Defaults[game.ItemData]()} }, ""},
	{"ProjectileData", func() sim.Object { return &ownProjectileData{game.Defaults[game.ProjectileData]()} }, ""},
	{"TriggerData", func() sim.Object { return &ownTriggerData{game.Defaults[game.TriggerData]()} }, ""},
	{"ShapeBaseImageData", func() sim.Object { return &ownImageData{game.Defaults[game.ShapeBaseImageData]()} }, ""},
	{"ShapeBaseData", func() sim.Object { return &ownBaseData{game.Defaults[game.ShapeBaseData]()} }, ""},
	{"Player", func() sim.Object { return &ownPlayer{game.Defaults[game.Player]()} }, "PlayerData"},
	{"Vehicle", func() sim.Object { return &ownVehicle{game.Defaults[game.Vehicle]()} }, "VehicleData"},
	{"Turret", func() sim.Object { return &ownTurret{game.Defaults[game.Turret]()} }, "TurretData"},
	{"StaticShape", func() sim.Object { return &ownShape{game.Defaults[game.StaticShape]()} }, "StaticShapeData"},
	{"Item", func() sim.Object { return &ownItem{game.Defaults[game.Item]()} }, "ItemData"},
	{"Projectile", func() sim.Object { return &ownProjectile{game.Defaults[game.Projectile]()} }, "ProjectileData"},
	{"Trigger", func() sim.Object { return &ownTrigger{game.Defaults[game.Trigger]()} }, "TriggerData"},
	{"Camera", func() sim.Object { return &ownCamera{game.Defaults[game.Camera]()} }, ""},
	{"Marker", func() sim.Object { return &ownMarker{game.Defaults[game.Marker]()} }, ""},
	{"SpawnSphere", func() sim.Object { return &ownSpawn{game.Defaults[game.SpawnSphere]()} }, ""},
	{"WayPoint", func() sim.Object { return &ownWayPoint{game.Defaults[game.WayPoint]()} }, ""},
	{"Box", func() sim.Object { return &ownBox{game.Defaults[game.Box]()} }, ""},
	{"TerrainBlock", func() sim.Object { return &ownTerrain{game.Defaults[game.TerrainBlock]()} }, ""},
	{"SceneObject", func() sim.Object { return &ownScene{game.Defaults[game.SceneObject]()} }, ""},
	{"ShapeBase", func() sim.Object { return &ownBase{game.Defaults[game.ShapeBase]()} }, ""},
}

// ownWorld returns a world with all classes of game, and one class of another package from each.
func ownWorld(t *testing.T) *sim.World {
	classes := sim.NewClasses()
	require.NoError(t, game.Register(classes))
	for _, c := range own {
		require.NoError(t, classes.Register(sim.Class{Name: "Own" + c.parent, Parent: c.parent, New: c.make}))
	}
	w := sim.NewWorld(classes)
	for _, c := range classes.List() {
		if c.Kind == sim.BlockClass && !c.Abstract {
			_, _, err := w.Blocks.Declare(c.Name, "the"+c.Name, "", nil)
			require.NoError(t, err)
		}
	}
	return w
}

// add makes an object, with the datablock of its class or of the own class from that.
func add(t *testing.T, w *sim.World, class, data string, at sim.Vec3) sim.Object {
	o, err := w.New(class, func(o sim.Object) error {
		if data != "" {
			require.NoError(t, o.Ident().SetField("dataBlock", sim.String("the"+data)))
		}
		return o.Ident().SetField("position", sim.Vec(at))
	})
	require.NoError(t, err)
	return o
}

// TestEveryClassIsAParent makes an object of each class of game, and one of the own class from it
// with an own datablock, in two worlds. After some ticks both have the same fields.
func TestEveryClassIsAParent(t *testing.T) {
	for _, c := range own {
		w := ownWorld(t)
		if c.parent == "ShapeBaseData" || w.Classes().Lookup(c.parent).Kind == sim.BlockClass {
			continue // they are the datablocks of the others
		}
		data, at := "", sim.Vec3{X: 10, Z: 3}
		if c.data != "" {
			data = "Own" + c.data
		}
		o := add(t, w, "Own"+c.parent, data, at)
		if w.Classes().Lookup(c.parent).Abstract {
			continue
		}
		stock := ownWorld(t)
		s := add(t, stock, c.parent, c.data, at)
		for n := range uint64(40) {
			w.Tick(n)
			stock.Tick(n)
		}
		for _, f := range s.Ident().Class().AllFields() {
			want, err := s.Ident().GetField(f.Name)
			require.NoError(t, err)
			got, err := o.Ident().GetField(f.Name)
			require.NoError(t, err)
			if f.Name != "dataBlock" {
				assert.Equal(t, want, got, "%s.%s", c.parent, f.Name)
			}
		}
		require.NoError(t, w.Delete(o))
		w.Sweep()
		w.Tick(41)
	}
}

// TestOwnClassesInTheGame checks own classes where the game asks for the class of an object: a
// shot passes through an own item and stops at an own box, and a line meets an own terrain.
func TestOwnClassesInTheGame(t *testing.T) {
	w := ownWorld(t)
	add(t, w, "OwnTerrainBlock", "", sim.Vec3{Z: -1000})
	add(t, w, "OwnItem", "OwnItemData", sim.Vec3{X: 5, Z: 1})
	wall := add(t, w, "OwnBox", "", sim.Vec3{X: 10}).(*ownBox)
	require.NoError(t, wall.SetField("size", sim.Vec(sim.Vec3{X: 1, Y: 9, Z: 9})))
	require.NoError(t, w.Blocks.ByName("theOwnProjectileData").Ident().SetField("muzzleVelocity", sim.Number(100)))
	o, err := w.New("OwnProjectile", func(o sim.Object) error {
		p := o.(*ownProjectile)
		require.NoError(t, p.SetField("dataBlock", sim.String("theOwnProjectileData")))
		require.NoError(t, p.SetVelocity(sim.Vec3{X: 50}))
		return p.SetPosition(sim.Vec3{Z: 1})
	})
	require.NoError(t, err)
	for n := range uint64(10) {
		w.Tick(n)
	}
	shot := o.(*ownProjectile)
	assert.True(t, shot.Exploded())
	assert.InDelta(t, 9.5, shot.Position().X, 0.1)
	assert.Zero(t, shot.Source())
	hit, ok := game.CastRay(w, sim.Vec3{X: 99, Z: 99}, sim.Vec3{X: 99, Z: -2000}, nil)
	require.True(t, ok)
	assert.IsType(t, &ownTerrain{}, hit)
	var ground game.Ground
	ground, ok = game.GroundOf(w)
	require.True(t, ok)
	low, high := ground.Range()
	assert.Less(t, low, high)
	var relief game.Relief = ground.Relief()
	assert.Len(t, ground.Heights(), relief.Size*relief.Size)
}

// TestSetters checks what a program sets on an object: the values, their ranges, and that the world
// of a server is asked for.
func TestSetters(t *testing.T) {
	w := ownWorld(t)
	s := add(t, w, "OwnPlayer", "OwnPlayerData", sim.Vec3{}).(*ownPlayer)
	most := s.Data().MaxEnergy()
	assert.Equal(t, most, s.Energy(), "a new shape is full")
	require.NoError(t, s.SetPosition(sim.Vec3{X: game.Extent}))
	require.NoError(t, s.SetVelocity(sim.Vec3{Y: -game.MaxSpeed}))
	require.NoError(t, s.SetRotation(sim.Rot{Yaw: 90}))
	require.NoError(t, s.SetTeam(game.MaxTeam))
	assert.Equal(t, sim.Vec3{X: game.Extent}, s.Position())
	assert.Equal(t, sim.Vec3{Y: -game.MaxSpeed}, s.Velocity())
	assert.Equal(t, sim.Rot{Yaw: 90}, s.Rotation())
	assert.Equal(t, game.MaxTeam, s.Team())
	for _, err := range []error{
		s.SetPosition(sim.Vec3{X: game.Extent + 1}), s.SetVelocity(sim.Vec3{Z: game.MaxSpeed + 1}), s.SetTeam(game.MaxTeam + 1), s.SetTeam(-1),
		s.ApplyDamage(nil, -1, ""), s.Repair(-1), s.SetEnergy(-1), s.Teleport(sim.Vec3{X: game.Extent + 1}, sim.Rot{}), s.ApplyImpulse(sim.Vec3{}, sim.Vec3{X: 1e300}),
	} {
		assert.Error(t, err)
	}
	require.NoError(t, s.Teleport(sim.Vec3{X: 7}, sim.Rot{Yaw: 45}))
	assert.Equal(t, sim.Vec3{X: 7}, s.Position())
	assert.Zero(t, s.Velocity())
	require.NoError(t, s.ApplyImpulse(sim.Vec3{}, sim.Vec3{Z: 90}))
	assert.Equal(t, sim.Vec3{Z: 1}, s.Velocity())
	require.NoError(t, s.SetEnergy(5))
	assert.Equal(t, 5.0, s.Energy())
	require.NoError(t, s.ApplyDamage(nil, 30, "bite"))
	require.NoError(t, s.Repair(10))
	assert.Equal(t, 20.0, s.DamageLevel())
	require.NoError(t, s.ApplyDamage(nil, s.Data().MaxDamage(), "bite"))
	assert.True(t, s.IsDestroyed())
	v := -game.Gravity * sim.TickSeconds
	w.Tick(1)
	assert.Less(t, s.Velocity().Z, 1.0+v/2, "it falls")

	assert.Error(t, new(ownPlayer).ApplyDamage(nil, 1, ""))
	assert.Error(t, new(ownPlayer).SetPosition(sim.Vec3{}))
	assert.Panics(t, func() { game.Defaults[sim.Vec3]() })
}

// TestExportsAreUsed: each exported name of package game stands in the code of another package.
// The others are not exported.
func TestExportsAreUsed(t *testing.T) {
	used := map[string]bool{}
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != ".." || d.Name() == "testdata" || d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), `torc/game"`) {
			for _, after := range strings.Split(string(text), "game.")[1:] {
				end := strings.IndexFunc(after, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') })
				if end > 0 {
					used[after[:end]] = true
				}
			}
		}
		return err
	}))
	set := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	exported := 0
	check := func(id *ast.Ident) {
		if id.IsExported() {
			exported++
			assert.True(t, used[id.Name], "no other package uses game.%s", id.Name)
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					check(d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						check(s.Name)
					case *ast.ValueSpec:
						for _, id := range s.Names {
							check(id)
						}
					}
				}
			}
		}
	}
	assert.Greater(t, exported, 20)
}
