// Package hidden stores which fields of objects are hidden from which clients, for scripts. It
// knows no connection: clients are object ids.
package hidden
