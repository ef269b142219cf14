package game

import (
	"fmt"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// stock are the classes of this package, each after its parent.
func stock() []sim.Class {
	return []sim.Class{
		sceneObjectClass,
		shapeBaseDataClass, shapeBaseClass,
		terrainBlockClass, boxClass,
		playerDataClass, playerClass, cameraClass,
		shapeBaseImageDataClass,
		itemDataClass, itemClass,
		staticShapeDataClass, staticShapeClass,
		turretDataClass, turretClass,
		projectileDataClass, projectileClass,
		triggerDataClass, triggerClass,
		vehicleDataClass, vehicleClass,
		markerClass, spawnSphereClass, wayPointClass,
	}
}

// Register adds the classes and functions of this package. It returns an error if one of their
// names is already registered.
func Register(classes *sim.Classes) error {
	for _, c := range stock() {
		if err := classes.Register(c); err != nil {
			return err
		}
	}
	for _, f := range slices.Concat(functions, blastFunctions, searchFunctions) {
		if err := classes.RegisterFunction(f); err != nil {
			return err
		}
	}
	return nil
}

// Defaults returns the struct of a class of this package with its defaults, for the New of a class
// that derives from it:
//
//	func newMedic() sim.Object { return &Medic{Player: game.Defaults[game.Player]()} }
//
// It panics if T is no struct of a class.
func Defaults[T any]() T {
	for _, o := range []any{&SceneObject{}, &ShapeBase{energy: fullEnergy}, &ShapeBaseData{radius: 1, mass: 1}} {
		if base, ok := o.(*T); ok {
			return *base
		}
	}
	for _, c := range stock() {
		if c.New == nil {
			continue
		}
		if o, ok := c.New().(any).(*T); ok {
			return *o
		}
	}
	panic(fmt.Sprintf("BUG: %T is no struct of a class of package game", *new(T)))
}
