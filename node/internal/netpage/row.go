package netpage

import (
	"encoding/binary"
	"math"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// Row is an object of the map. The page reads rows as words of 32 bits, in the order of the fields.
// Lengths are in cm.
type Row struct {
	Object  uint32   // id
	Ghost   int32    // id; −1: the object is not in scope
	Kind    uint32   // class index, and the status of the ghost << 16, and flags << 24
	Truth   [3]int32 // where the object is
	At      [2]int32 // the newest position that the client is known to have
	Shown   [2]int32 // where the client shows the ghost, if nothing newer has arrived
	Error   int32    // distance between Truth and Shown
	Ages    uint32   // ticks: of At in the low 16 bits, and since the newest update << 16
	Turning uint32   // yaw in the low 16 bits, 65,536 to the turn, and the base priority << 16
}

// rowWords is the number of words of a row.
const rowWords = 13

// The flags of a row.
const (
	flagKnown   = 1 << iota // At, Shown and Error have values
	flagPending             // the client lacks a change that no packet in flight carries
	flagOwn                 // the client moves the object itself
)

// newRow returns the row of a view with a place.
func newRow(v *engine.GhostView, class int) Row {
	p := &v.Truth
	r := Row{
		Object: uint32(v.Object.Ident().ID()), Ghost: int32(v.ID), Kind: uint32(class) | uint32(v.Status)<<16,
		Truth:   [3]int32{cm(p.Position.X), cm(p.Position.Y), cm(p.Position.Z)},
		Ages:    uint32(min(v.KnownAge, math.MaxUint16)) | uint32(min(v.SentAge, math.MaxUint16))<<16,
		Turning: uint32(turn(p.Rotation.Yaw)) | uint32(v.Weight)<<16,
	}
	if v.Known {
		r.At, r.Shown = flat(v.At), flat(v.Predicted)
		r.Error = cm(p.Position.Sub(v.Predicted).Len())
		r.Kind |= flagKnown << 24
	}
	if v.Pending {
		r.Kind |= flagPending << 24
	}
	if v.Own {
		r.Kind |= flagOwn << 24
	}
	return r
}

// cm returns metres as cm, within the range of 32 bits.
func cm(metres float64) int32 {
	switch x := metres * 100; {
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return math.MinInt32
	case x == x:
		return int32(x)
	}
	return 0
}

func flat(at sim.Vec3) [2]int32 { return [2]int32{cm(at.X), cm(at.Y)} }

// turn returns an angle in degrees in 65,536ths of a turn.
func turn(degrees float64) uint16 {
	turns := degrees / 360
	if turns -= math.Floor(turns); turns == turns {
		return uint16(int(turns * (1 << 16)))
	}
	return 0
}

// appendRows appends the words of rows.
func appendRows(b []byte, rows []Row) []byte {
	for i := range rows {
		r := &rows[i]
		for _, word := range [rowWords]uint32{
			r.Object, uint32(r.Ghost), r.Kind, uint32(r.Truth[0]), uint32(r.Truth[1]), uint32(r.Truth[2]),
			uint32(r.At[0]), uint32(r.At[1]), uint32(r.Shown[0]), uint32(r.Shown[1]), uint32(r.Error), r.Ages, r.Turning,
		} {
			b = binary.LittleEndian.AppendUint32(b, word)
		}
	}
	return b
}
