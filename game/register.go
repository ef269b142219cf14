package game

import "github.com/torc-engine/torc/engine/sim"

// Register adds the classes of this package. It fails only if one of their
// names is taken.
func Register(classes *sim.Classes) error {
	for _, c := range []sim.Class{
		sceneObjectClass,
		shapeBaseDataClass, shapeBaseClass,
		itemDataClass, itemClass,
		staticShapeDataClass, staticShapeClass,
		markerClass,
	} {
		if err := classes.Register(c); err != nil {
			return err
		}
	}
	return nil
}
