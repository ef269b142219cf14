package node_test

import (
	"context"
	"fmt"
	"log"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/node"
)

// Beacon is a class of this program.
type Beacon struct {
	sim.Identity
	Level int
}

func register(classes *sim.Classes) error {
	level := sim.IntField("level", 1, 0, 15, func(b *Beacon) *int { return &b.Level })
	return classes.Register(sim.Class{
		Name: "Beacon", Parent: "NetObject", New: func() sim.Object { return new(Beacon) }, Fields: []sim.Field{level},
	})
}

func Example() {
	server, err := node.NewServer(node.Config{
		Common: node.Common{Register: register},
		Server: node.ServerConfig{Listen: "127.0.0.1:0"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	if err := server.Start(); err != nil {
		log.Fatal(err)
	}
	server.Host().World().Add(&Beacon{Level: 7})
	go server.Run(context.Background())

	seen := make(chan string, 1)
	tell := func(args []string) (string, error) { seen <- args[0]; return "", nil }
	client, err := node.NewClient(node.Config{
		Common: node.Common{
			Register: register,
			Commands: []console.Command{{Name: "seen", Run: tell}},
			Scripts: []node.Script{{Code: `function GameConnection.onGhostAdded(server, o)
			if o.className == "Beacon" then seen(o.level) end
		end`}},
		},
		Client: node.ClientConfig{Address: server.Address()},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	go client.Run(context.Background())
	fmt.Println("the client sees a beacon of level", <-seen)
	// Output: the client sees a beacon of level 7
}
