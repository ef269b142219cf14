// Package picture has the pictures that mods show in forms: PNG, JPEG and WebP. It reads their
// headers and decodes none. It knows neither connections nor Lua: package engine sends pictures,
// and package script/pictures reads them from the folders of mods.
//
//	file ──Read──► Picture ──Shelf.Name──► number in a row of a form
//	                  └──────Shelf.Next──► Piece, Piece, … ──► Album of the client ──Read──► Picture
//
// # Decisions
//
//   - A picture has a number on its connection, from 1, and a form names it by that. A client that
//     has shown a picture once has it for the next form.
//   - The server checks a picture when a mod is loaded, the client when the last piece has arrived.
//     Both use Read, so no program decodes a picture of an unchecked size or kind.
//   - The whole file is walked, not only its first bytes: a second frame header can have another
//     size, and an animation can stand behind the first picture.
//   - A server keeps the books of what a client has. So the client never has to ask, and its limits
//     hold without a word from it.
//
// # Where to read
//
//	picture.go  pictures, their limits, and what a valid one is
//	png.go      the chunks of a PNG
//	jpeg.go     the segments of a JPEG
//	webp.go     the chunks of a WebP
//	piece.go    the bits of a piece
//	shelf.go    which pictures a client has, and the next piece for it
//	album.go    the pictures of a client
package picture
