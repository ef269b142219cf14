// Embed is a server of a game of its own on torc, with its client for browsers. Run it in its
// folder: go run .
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	listen := flag.String("listen", ":28000", "HOST:PORT of the game, and of the page")
	source := flag.String("source", ".", "folder of this module, to build the client for browsers")
	flag.Parse()
	if err := run(*listen, *source); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// run runs the server until it is interrupted.
func run(listen, source string) error {
	s, err := NewServer(listen, source, func(text string) { fmt.Println(text) })
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return s.Run(ctx)
}
