package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/internal/relay"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/netcore"
)

// relay runs torc relay: a bad line between clients and a server, until a signal.
func (sys *system) relay(o *config.Relay) error {
	server, err := net.ResolveUDPAddr("udp", netcore.WithPort(o.Address))
	if err != nil {
		return flags.Usagef("torc relay %s: %v", o.Address, err)
	}
	r := relay.New()
	defer r.Close()
	f, err := r.Forward(o.Listen, server.AddrPort())
	if err != nil {
		return err
	}
	setLine(r, &o.Line)
	fmt.Fprintf(sys.out, "UDP port %d of this machine leads to %v\n%v\n", f.Addr().Port(), server, &o.Line)
	ctx, stop := sys.untilSignal()
	defer stop()
	lines := make(chan string)
	go readLines(sys.in, lines)
	for {
		select {
		case <-ctx.Done():
			return nil
		case line := <-lines:
			if err := changeLine(r, &o.Line, strings.Fields(line)); err != nil {
				fmt.Fprintln(sys.out, err)
			} else {
				fmt.Fprintln(sys.out, &o.Line)
			}
		}
	}
}

func readLines(from io.Reader, to chan<- string) {
	for scan := bufio.NewScanner(from); scan.Scan(); {
		to <- scan.Text()
	}
}

// changeLine runs a line of input: a property and its value, or rebind.
func changeLine(r *relay.Relay, l *config.Line, words []string) error {
	switch {
	case len(words) == 0:
		return nil
	case len(words) == 1 && words[0] == "rebind":
		return r.Rebind()
	case len(words) != 2:
		return fmt.Errorf("%q must be a property and its value, for example rate 128k, or rebind", strings.Join(words, " "))
	}
	if err := l.Change(words[0], words[1]); err != nil {
		return err
	}
	setLine(r, l)
	return nil
}

func setLine(r *relay.Relay, l *config.Line) {
	link := netcore.LinkParams{Loss: l.Loss, Delay: l.Delay, Jitter: l.Jitter, MTU: l.Size}
	up := relay.Direction{Rate: l.Rate, Queue: l.Queue, LinkParams: link}
	down := up
	if l.Dead == "up" || l.Dead == "both" {
		up.Loss = 1
	}
	if l.Dead == "down" || l.Dead == "both" {
		down.Loss = 1
	}
	r.Set(up, down)
}
