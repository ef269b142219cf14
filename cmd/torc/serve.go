package main

import (
	"fmt"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/netcore/udp"
)

// serve is a dedicated server.
func serve(o *config.Options) error {
	l, err := newLoop(o, "server")
	if err != nil {
		return err
	}
	defer l.close()
	if err := l.listen(o); err != nil {
		return err
	}
	return l.run()
}

// listen makes the server, and lets others join it.
func (l *loop) listen(o *config.Options) error {
	s, err := l.server(o, udp.Resolve)
	if err != nil {
		return err
	}
	if err := s.start(o); err != nil {
		return err
	}
	if l.socket, err = udp.Listen(o.Listen); err != nil {
		return err
	}
	if err := l.openMetrics(o); err != nil {
		return err
	}
	l.term.Print(fmt.Sprintf("listening on %s key %s", l.socket.Addr(), s.host.Identity().Public))
	l.ready = true
	return nil
}
