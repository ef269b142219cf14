// Package timers prints the timers and threads of mods as a table.
//
// A timer says what it runs by sim.Owner.What: a function of Lua, the state of a thread, or the name of a
// method.
package timers
