// Package form has the forms that mods show to a player: rows of a few kinds as data, the answers
// of the player, and the bits of both. It also has elements: rows at a place of the screen that a
// player only sees. It knows neither connections nor Lua: package engine sends forms, and package
// script makes them of tables.
//
//	mod ──Form──► Check, Clean ──Split──► Piece, Piece, … ──► Board of the client ──► its program
//	mod ◄──Entry── Form.Read ◄──────────────── Answer ◄──────────────────────────────┘
//	mod ──Element──► ChangeFrom the last one ──► Change ──► Elements of the client ──► its program
//
// # Decisions
//
//   - A form is data of known kinds, not text in a language. So a terminal shows the same form as a
//     page, and nothing in it can be code.
//   - A form travels in pieces of about 400 bytes, in order. A display can begin with the first
//     piece.
//   - A row has a number on the wire, its place in the form. An answer has the values of rows by
//     these numbers, and a row without a value keeps its first one. So a player can answer before
//     the last piece has arrived.
//   - The server keeps the form until it is over and reads each answer by its rows. The client is
//     not trusted with names, kinds or ranges.
//   - A new form tells the number of the form that it replaces. The client then keeps what the
//     player has typed, by the names and kinds of the rows.
//   - An element is sent whole once, and then by what differs: a bar is ten bits, and a table sends
//     cells.
//
// Package dissect of node has the codes of kinds, places and changes a second time, in form.go. A
// new kind of row belongs there too.
//
// # Where to read
//
//	row.go     forms, rows and their limits
//	check.go   what a valid form is; texts are cleaned
//	code.go    the bits of a row
//	piece.go   a form is split
//	answer.go  an answer, its bits, and what it means for a form
//	parse.go   what a player types for a row
//	board.go   the forms that a client shows
//	desk.go    a form in a terminal, as lines
//	element.go elements of the HUD, and those that a client shows
//	change.go  what differs between two elements, and its bits
package form
