//go:build !js

package node

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/core"
)

// describe returns the type of a service, and the names of its commands and variables.
func describe(s core.Service) string {
	words := []string{strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", s), "*"), "node.")}
	for _, c := range s.Commands() {
		words = append(words, c.Name)
	}
	for _, v := range s.Variables() {
		words = append(words, v.Name)
	}
	return strings.Join(words, " ")
}

// TestOrderOfServices holds the order in which commands and variables register. The replay of a
// journal needs the order of its recorder.
func TestOrderOfServices(t *testing.T) {
	s, err := NewServer(Config{Server: ServerConfig{Restarts: true}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	var order []string
	for _, service := range s.services {
		order = append(order, describe(service))
	}
	assert.Equal(t, []string{
		"trials",
		"meeting.Service sv.public sv.query sv.lan",
		"browsers.Service link net.link sv.netPage sv.webOrigins sv.webFrames",
		"modServices mod.networks",
		"packing",
		"metrics.Service metrics",
		"attach.Service",
		"flushing",
		"fleet.Service fleet transfer",
		"fleetLists fleet.trustRoles",
		"demos.Service record sv.demoMax",
		"journals.Service journal sv.journalMax",
		"storage.Service backup sv.backups",
		"admin.Admin kick ban unban bans recent mute unmute mutes allow disallow allowed role.give role.take role.allow role.deny audit role sv.allowedOnly sv.voiceRole sv.plainRoles",
		"admin.Admission sv.name sv.maxClients sv.reserved sv.transfers sv.accepting sv.password",
		"tasks.Service every daily tasks tasks.cancel",
		"ownCommands quit status restart",
	}, order)
}

// noted notes what a server does with its services.
type noted struct {
	core.Service
	note func(what string)
}

func (n noted) Start(c *core.Core) error {
	n.note("start")
	return n.Service.Start(c)
}

func (n noted) Close() error {
	n.note("close")
	return n.Service.Close()
}

// TestServicesStartAndClose holds when services start and close: behind the mods and before the
// server is ready, and each once. The scripts flush before the store closes, and the journal closes
// behind them and behind the network.
func TestServicesStartAndClose(t *testing.T) {
	s, err := NewServer(Config{Server: ServerConfig{Listen: "127.0.0.1:0"}})
	require.NoError(t, err)
	var did []string
	for i, service := range s.services {
		name := fmt.Sprintf("%T", service)
		s.services[i] = noted{service, func(what string) {
			assert.Equal(t, what == "close", s.Ready(), "%s %s", what, name)
			assert.NotNil(t, s.Scripts().Runtime.Mod("base"), "the mods are loaded")
			did = append(did, what+" "+name)
		}}
	}
	require.NoError(t, s.Start())
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "a second call does nothing")
	n := len(s.services)
	require.Len(t, did, 2*n)
	for i := range n {
		assert.Equal(t, strings.TrimPrefix(did[i], "start "), strings.TrimPrefix(did[n+i], "close "), "one order for both")
	}
	at := func(what string) int {
		for i, d := range did {
			if d == what {
				return i
			}
		}
		t.Fatal(what + " is missing")
		return 0
	}
	for _, pair := range [][2]string{
		{"meeting.Service", "browsers.Service"}, {"browsers.Service", "node.modServices"}, {"node.modServices", "node.packing"},
		{"node.packing", "metrics.Service"}, {"metrics.Service", "attach.Service"}, {"attach.Service", "node.flushing"},
		{"node.flushing", "demos.Service"}, {"demos.Service", "journals.Service"}, {"journals.Service", "storage.Service"},
		{"storage.Service", "admin.Admin"},
	} {
		assert.Less(t, at("close *"+pair[0]), at("close *"+pair[1]), "%s closes before %s", pair[0], pair[1])
	}
}
