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

// restoreTime is how long torc fleet restore writes at most.
const restoreTime = 10 * time.Minute

// restoreFleet gives a fleet its values again, from the files of servers.
func restoreFleet(o *config.FleetLook, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), restoreTime)
	defer cancel()
	done, err := node.RestoreFleet(ctx, o.Config, o.Restore)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, done)
	return err
}

// lookAtFleet lists the servers of a fleet.
func lookAtFleet(o *config.FleetLook, stdout io.Writer) error {
	if len(o.Restore) > 0 {
		return restoreFleet(o, stdout)
	}
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
