// Package look describes what objects look and sound like, as plain data that a server sends in the
// field look of a datablock.
//
//	Lua table ──Form.Pack──► text ──datablock──► client ──Decode──► Look ──► the terminal view
//	                                                                    └──► the page in a browser
//
// A Look is a list of elements: parts such as boxes and labels, effects such as trails, and sounds.
// The table rows describes the attributes of elements, with their ranges. The declaration of a look
// is checked against them, and a client limits everything that it receives to them. Stock has the
// looks of classes whose datablocks declare none.
package look
