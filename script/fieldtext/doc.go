// Package fieldtext describes fields of classes in words, for the reference of the Lua API.
package fieldtext
