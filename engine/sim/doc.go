// Package sim is the world: objects, the classes that describe them, and the rest of a world's
// state. It does not depend on networks or scripts.
//
//	Classes ── Class ── Field        the kinds of objects: one table, read by everything
//	   │
//	World ──── Object (Identity)     the objects: ids, names, groups, ticks
//	   │  └─── Root ─┬─ Clients      every object is in exactly one group
//	   │             ├─ Mission
//	   │             └─ DataBlocks
//	   └────── Blocks ── Block       datablocks: shared, numbered, keyed
//	Schedule                         "in n milliseconds, do", on simulation time
//
// # Classes
//
// A class declares its fields once, as a table of closures over the Go struct. Scripts read and set
// fields through this table, and the wire format follows from it. Peers compare its Hash. A field
// added to the table therefore works everywhere at once. A class can be a net class (its objects
// can be ghosts) or a block class (its objects are datablocks). The defaults of fields are the
// values that New sets.
//
// Scripts or the server can declare more net classes to a host, as data. The fields of these
// classes live in cells of the Identity and work like all others.
//
// A class can be redeclared with other fields. It then gets another number. Its objects move to the
// new class and keep their ids and all values that the new fields accept. A Transaction groups the
// declarations and the new objects of one mod reload, and rolls all of them back if the reload
// fails.
//
// # Changes
//
// Any code that changes a net object marks the changed groups of fields; Field.Set does so itself.
// Once per tick the marked groups are quantised into cells, whole numbers of known width. Ghosts on
// other machines receive nothing but these cells, and Restore computes the fields from them.
// NumberRun is the fast form of Restore for groups of numbers.
//
// An object with a position has a Place, and a Grid finds nearby objects. The ghost of a moving
// object follows the updates by the MotionRule of its class: it warps errors away, extrapolates
// when no update arrives, and shows large jumps at once.
//
// # Values
//
// Value is the only dynamic type. Fields are set and read as Values, remote commands carry Values,
// and Lua and the console use them.
//
// # Life and death
//
// World.New makes an object of a class and World.Add gives it an id. Ids are never reused. Delete
// marks the object dead at once: lookups no longer find it, and its group and its sets no longer
// hold it. Sweep removes it from the world at the end of the tick and calls OnRemoved. Code that
// still uses the object during the tick is therefore safe.
//
// # Datablocks
//
// A datablock is constant data that many objects share. It has a number, the same on every machine,
// and objects refer to it by this number. It also has a modified key from one counter. A peer lacks
// exactly the blocks with a key above the highest key that it has. Blocks.Pack describes a block by
// its difference from another block, or from the defaults of its class.
//
// # Classes that change
//
//   - A class declared in Lua stays for the session, also when its mod is unloaded. Another mod
//     cannot declare a class of the same name.
//   - The same mod can redeclare its class after a reload. The new class gets the next of the
//     session's 1,024 numbers, and so do the classes that inherit from it. Peers that join receive
//     the old and the new description: numbers have no gaps, so nobody needs to track the used
//     ones. Objects keep their ids and Go structs, and only their snapshots begin again. If the new
//     class has another Go struct, the object is converted in place.
//   - A reload can be rolled back (Transaction), because nothing of it is sent before the next
//     tick. Classes and blocks are restored from a copy, and new objects are deleted. Changes of
//     fields, groups, control, timers or scope of other objects record their undo
//     (World.OnRollback). Commands and damage cannot be undone, so they wait for the commit
//     (World.OnCommit). If they fail then, the failure is a fault.
//   - A connection is an object and a group, so its members are deleted with it. Ids are never
//     reused in a run, so a handle needs no generation.
//   - A field with a Form holds nested data, such as a look. The block stores the text that
//     Form.Pack makes of it. Clients decode the text, and Lua reads it as a table again.
//
// # A new kind of field
//
// Most changes of fields touch the table of one class. A new Kind for fields touches all of these:
//
//	value.go                        the kind of a Value, and its text
//	field.go                        rows of a class, and which values they take
//	cell.go, scale.go               the cells of a field; the codes of its numbers
//	coder.go                        its bits in control states and datablocks
//	declare.go, ext.go              fields of classes that mods declare, and where they live
//	describe.go, foreign.go         the kind in a description; classes that peers have otherwise
//	script/bind/value.go            its values in Lua, both ways
//	script/bind/field.go            what a mod calls to declare one; script/api_class.go its name
//	script/bind/fieldtext.go        the text of such a field in the API page
//	node/dissect/description.go     its code in the second decoder
//
// # Determinism
//
// Every iteration is in id order or in insertion order, and ties are broken by id. Products are
// converted to float64 before they are added. Otherwise a compiler could fuse the two operations
// on some machines only.
//
// This package has no connections, ghosts, Lua or clocks. Time is an argument.
//
// # Where to read
//
//	object.go, world.go                objects with an identity, and the world that holds them
//	part.go                            the struct of a parent class in an object
//	name.go, group.go                  objects by name; sets and groups
//	value.go, vec.go, turn.go          values, vectors, angles
//	substitute.go                      %n in texts
//	class.go, classes.go               a class, and the classes of a process
//	field.go, scale.go, method.go      rows of a class: fields, the codes of numbers, methods
//	cell.go, cells.go, rates.go        the groups of a class as cells on the wire
//	coder.go, numbers.go               fields as bits; the places of numbers
//	declare.go, ext.go                 classes declared at run time, and where their fields live
//	describe.go                        such a class on the wire
//	fingerprint.go, foreign.go         classes that peers have otherwise; the numbers of a server
//	recorded.go                        the list of a recording, for viewers with other classes
//	redeclare.go, reclass.go           a class with other fields, and its objects
//	tree.go                            nested data in a text field
//	mark.go                            changed groups
//	change.go, blockstate.go, hide.go  transactions, the copy of all blocks for a rollback, hidden objects
//	datablock.go, description.go       datablocks, and their form on the wire
//	event.go, schedule.go              events of objects; callbacks on simulation time
//	place.go, motion.go, arrival.go    where objects are; how ghosts follow, and how late
//	grid.go, gridnear.go, gridtile.go  what is near a point
//	move.go, control.go                the input of a player, and objects that it drives
package sim
