// Package keys keeps a program's own key and the keys of known servers.
//
// The file identity has one line. It is made on the first run, and only its owner can read it.
// Clients know a server by its key. Bans, rights and saved values know a client by its key. Anyone
// with a copy of the file can act as its owner.
//
// The file known_servers has one line per server, with the address as typed and the key:
//
//	example.org:28000 mfrggzdfmztwq2lknnwg23tpobyxe43uov3ho6dzpi2dknrxha3q
//
// The first key of a server is trusted and written down. If the server later shows another key, it
// is refused with both fingerprints, until the user accepts the new key (--accept-key).
package keys
