package game

import "github.com/torc-engine/torc/engine/sim"

// maxWayPointText is the maximum length of the text of a WayPoint, in bytes.
const maxWayPointText = 48

// WayPoint is a place that players find: views show it over everything, with its text and its
// distance, and in the compass and the map. A client that must not see it must not have it in
// scope.
type WayPoint struct {
	Marker
	text string
	team int
}

// Text returns what players read.
func (w *WayPoint) Text() string { return w.text }

// Team returns the team whose colour it has, 0 for none.
func (w *WayPoint) Team() int { return w.team }

const wayPointGroup = 3

var wayPointClass = sim.Class{
	Name: "WayPoint", Parent: "Marker", Always: true, New: func() sim.Object { return new(WayPoint) },
	Doc: "A place that players find by screen, compass and map.",
	Fields: []sim.Field{
		sim.TextField("text", wayPointGroup, maxWayPointText, func(w *WayPoint) *string { return &w.text }).
			WithDoc("what players read"),
		sim.IntField("team", wayPointGroup, 0, MaxTeam, func(w *WayPoint) *int { return &w.team }).
			WithDoc("the team whose colour and sign it has; 0 means none"),
	},
}
