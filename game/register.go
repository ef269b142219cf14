package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// Register adds the classes and functions of this package. It returns an error if one of their
// names is already registered.
func Register(classes *sim.Classes) error {
	for _, c := range []sim.Class{
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
		markerClass, spawnSphereClass,
	} {
		if err := classes.Register(c); err != nil {
			return err
		}
	}
	for _, f := range slices.Concat(functions, blastFunctions) {
		if err := classes.RegisterFunction(f); err != nil {
			return err
		}
	}
	return nil
}
