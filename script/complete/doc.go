// Package complete reads the expression before the cursor of a line of Lua: names, fields, indices
// that are literals, and calls of methods. It runs nothing.
package complete
