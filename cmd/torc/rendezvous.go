package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/netcore/udp"
)

// meet runs a rendezvous until a signal ends it.
func meet(o *config.Rendezvous, stdout io.Writer) error {
	socket, err := udp.Listen(o.Listen)
	if err != nil {
		return err
	}
	defer socket.Close()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if _, err := fmt.Fprintf(stdout, "listening on %s\n", socket.Addr()); err != nil {
		return err
	}
	service, began := rendezvous.NewService(rand.Reader), time.Now()
	send := func(to netcore.Addr, b []byte) { _ = socket.Write(to, b) } // a failed send is a lost packet
	for {
		select {
		case p := <-socket.Packets():
			service.Receive(time.Since(began), p.From, p.Bytes(), send)
			p.Free()
		case <-signals:
			return nil
		}
	}
}
