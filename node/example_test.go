package node_test

import (
	"context"
	"fmt"
	"log"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
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

// ExampleClientConfig_voice sends a frame of Opus in each tick, and prints who is heard.
func ExampleClientConfig_voice() {
	server, err := node.NewServer(node.Config{
		Common: node.Common{Vars: []node.Var{{Name: "sv.voice", Value: "all"}}},
		Server: node.ServerConfig{Listen: "127.0.0.1:0"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	if err := server.Start(); err != nil {
		log.Fatal(err)
	}
	go server.Run(context.Background())

	heard := make(chan string, 1)
	listen := func(f engine.VoiceFrame) {
		select {
		case heard <- f.Talker.Name: // a player would decode f.Data
		default:
		}
	}
	silence := []byte{9 << 3, 0xff, 0xfe} // 20 ms from an encoder
	talk := func() []engine.Speech { return []engine.Speech{{Channel: voice.All, Data: silence}} }
	for _, cfg := range []node.Config{
		{Common: node.Common{Name: "Ann"}, Client: node.ClientConfig{VoiceOut: talk}},
		{Common: node.Common{Name: "Bob"}, Client: node.ClientConfig{VoiceIn: listen}},
	} {
		cfg.Client.Address = server.Address()
		client, err := node.NewClient(cfg)
		if err != nil {
			log.Fatal(err)
		}
		defer client.Close()
		go client.Run(context.Background())
	}
	fmt.Println("Bob hears", <-heard)
	// Output: Bob hears Ann
}
