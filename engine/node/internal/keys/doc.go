// Package keys keeps a program's own key and the keys of the servers it knows.
//
// identity is one line, made on the first run, readable by its owner alone. A server's is what
// clients know it by; a client's is what bans, rights and saves go by. Who copies the file is you.
//
// known_servers is one line per server: its address as typed, and its key.
//
//	example.org:28000 mfrggzdfmztwq2lknnwg23tpobyxe43uov3ho6dzpi2dknrxha3q
//
// A server met for the first time is believed and written down; one that then shows another key is
// refused, with both fingerprints, until a person says that the new key is right (--accept-key).
package keys
