// Package manual writes what other programs know of a command line: completions for shells, and a
// manual page. All of it follows from one list of commands, so it cannot differ from the help.
//
//	Write(w, "bash", program)    also zsh and fish
//	Write(w, "man", program)     a page for man, section 1
package manual
