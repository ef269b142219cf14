package node_test

import (
	"context"
	"fmt"
	"log"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/node"
)

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
