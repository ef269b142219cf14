// Package sim is the world: objects, the classes that describe them, and what
// belongs to a world without any network or script.
//
//	Classes ── Class ── Field        what exists: one table, read by everything
//	   │
//	World ──── Object (Identity)     what is there: ids, names, groups, ticks
//	   │  └─── Root ─┬─ Clients      every object is in exactly one group
//	   │             ├─ Mission
//	   │             └─ DataBlocks
//	   └────── Blocks ── Block       datablocks: shared, numbered, keyed
//	Schedule                         "in n milliseconds, do", on simulation time
//
// # Classes
//
// A class declares its fields once, as a table of closures over the Go struct.
// Scripts read and set fields through it, the wire is described by it, and the
// peers compare its Hash, so a field added to the table is everywhere at once.
// A class may say that it is a net class (its objects can be ghosts) or a block
// class (its objects are datablocks). The defaults of fields are what New sets.
//
// A host may have more net classes declared to it, as data, by scripts or by
// its server: their fields live in cells of the Identity and are like any other.
//
// A class can be declared anew with other fields: it gets another number, and its
// objects move to it, with their ids and the values that fit. A Change holds
// together what is declared and made while a mod is loaded anew, and takes all of
// it back if that fails.
//
// # Changes
//
// Whatever changes a net object marks the groups of fields that changed;
// Field.Set does so by itself. Once a tick the marked groups are quantised into
// cells, whole numbers of known width, which is all that ghosts on other
// machines ever see, and from which Restore makes the fields there.
//
// What is somewhere has a Place, and a Grid finds who is near. The ghost of what
// moves follows the updates by the Motion rule of its class: errors are warped
// away, silence is extrapolated, leaps are shown at once.
//
// # Values
//
// Value is the only dynamic type: what a field is set to and read as, what a
// remote command carries, what Lua and the console see.
//
// # Life and death
//
// World.New makes an object of a class and World.Add gives it an id, which is
// never used again. Delete marks the object dead at once: it is not found any
// more, its group and its sets have forgotten it. It leaves the world, and
// OnRemoved hears of it, in Sweep at the end of the tick, so that nothing
// disappears under those who are still busy with it.
//
// # Datablocks
//
// A datablock is constant data that many objects share. It has a number, by
// which objects refer to it on every machine, and a modified key from one
// counter: whatever has a key above the newest one a peer has is what that
// peer lacks. Blocks.Pack describes a block by its difference from another
// block, or from the defaults of its class.
//
// # Determinism
//
// Everything is iterated in id order or in order of insertion, ties are broken
// by id, and products are converted before they are added, so that no compiler
// fuses them on one machine and not on another.
//
// What is not here: connections, ghosts, Lua, clocks. Time is an argument.
package sim
