package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// serveFleet translates the options of a fleet; nil without one.
func serveFleet(o *config.Serve) *node.Fleet {
	if len(o.Fleet.URLs) == 0 {
		return nil
	}
	return &node.Fleet{Name: o.As, Advertise: o.Advertise, Open: o.Fleet.Open}
}

// lookTime is how long torc fleet waits for its fleet.
const lookTime = 4 * time.Second

// lookAtFleet lists the servers of a fleet.
func lookAtFleet(o *config.FleetLook, stdout io.Writer) error {
	line, err := o.Open(node.FleetServer{})
	if err != nil {
		return failure{unconnected, err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	report, err := node.LookAtFleet(ctx, line)
	if err != nil {
		return failure{unconnected, err}
	}
	out, err := report.Print(o.Args())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, out)
	return err
}
