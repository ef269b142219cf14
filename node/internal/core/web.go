package core

import (
	"context"
	"io/fs"
)

// PageState is what becomes of the client for browsers.
type PageState int

const (
	PagePending PageState = iota // it is being packed
	PageReady                    // a server can serve it
	PageMissing                  // the log says why
)

// Web describes the client for browsers that a server serves over HTTP, and what connects to it.
type Web struct {
	Listen    string   // HOST:PORT; port 0 picks a free one; "" is the address of the UDP socket
	OtherPort bool     // a taken port chooses another
	Local     bool     // the limits by address do not apply to browsers on this machine
	Origins   []string // https://HOST[:PORT] of further sites that show the client, the public one first
	Proxies   []string // IP addresses and ranges of reverse proxies, whose X-Forwarded-For counts
	Cert, Key string   // files of the TLS certificate and its key; "" serves plain HTTP
	Domain    string   // asks a CA (Let's Encrypt) for the certificate of this name, and accepts its terms; needs a data folder
	NoRTC     bool     // browsers use WebSockets only, and no WebRTC on the UDP socket
	Public    []string // IP addresses at which browsers reach the UDP socket, besides the server's own
	Pages     []fs.FS  // the files of the client; a file of a later folder replaces one of an earlier folder
	// Build makes the rest of the files. It runs once, on a goroutine of its own, and should return
	// soon after ctx ends. nil: nothing is missing in Pages.
	Build func(ctx context.Context) (fs.FS, error)
	// Tell hears what becomes of the client, on the goroutine of Run: PagePending when Build
	// begins, and PageReady or PageMissing at its end. links are Addresses.Link and Native with
	// PageReady, and else "". nil: the output of the node gets them.
	Tell func(state PageState, link, native string)
}
