// Package json converts between JSON text and the values of Lua.
//
// A Decoder works in pieces of counted work, so that a long text is read over several ticks. It
// counts the memory of the result while it builds it. Both directions are strict: text and strings
// must be UTF-8, and numbers finite. Equal values give equal text.
//
// # Where to read
//
//	decode.go   text to values, in pieces; also token.go
//	encode.go   values to text
//	object.go   what marks an empty table as an object
package json
