// Package command checks remote commands: the types of their arguments, and how often a peer may
// call them. A mod sets these rules with allowCommand.
package command
