package engine_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// TestJoinsAreLogged checks the line of a server's log for each join, leave, kick and refusal.
func TestJoinsAreLogged(t *testing.T) {
	var log bytes.Buffer
	r := enginetest.New(t, enginetest.Options{Clients: 3, Server: func(c *engine.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, nil)) // of level info
		c.Password = "sesame"
	}})
	next := func() (line map[string]any) { // without the attributes that are equal in all tests
		text, err := log.ReadString('\n')
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal([]byte(text), &line))
		assert.Equal(t, "INFO", line["level"])
		delete(line, "time")
		delete(line, "level")
		return line
	}
	join := func(i int, password string) {
		c := r.Clients[i]
		require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{Name: "Ann", Password: password}))
		r.Run(2 * time.Second)
	}
	key := func(i int) string { return r.Clients[i].Identity().Public.String() }

	join(0, "guess")
	assert.Equal(t, map[string]any{"msg": "join refused", "address": "sim:2", "key": key(0), "name": "Ann", "reason": "wrong password"}, next())
	join(0, "sesame")
	c := r.Server.Connections()[0]
	id := float64(c.ID())
	assert.Equal(t, map[string]any{"msg": "player joined", "address": "sim:2", "key": key(0), "name": "Ann", "id": id}, next())
	c.Net().Close(netcore.Reason{Code: netcore.Kicked, Text: "rude"})
	r.Run(time.Second)
	kicked := next()
	took, err := time.ParseDuration(kicked["duration"].(string))
	require.NoError(t, err)
	assert.InDelta(t, 2, took.Seconds(), .5)
	delete(kicked, "duration")
	assert.Equal(t, map[string]any{"msg": "player kicked", "address": "sim:2", "key": key(0), "name": "Ann", "id": id, "reason": "kicked: rude"}, kicked)

	join(1, "sesame")
	require.NoError(t, r.Clients[1].Dialer.Disconnect("tea"))
	r.Run(time.Second)
	assert.Equal(t, "player joined", next()["msg"])
	left := next()
	assert.Equal(t, "player left", left["msg"])
	assert.Contains(t, left["reason"], "tea")
	assert.Contains(t, left, "duration")

	_, err = r.Server.AddBot("Robot")
	require.NoError(t, err)
	r.Run(time.Second)
	assert.Empty(t, log.String(), "bots have no lines")
}

// TestWrongVersionIsLogged checks the line for a client that lacks a class that moves depend on.
func TestWrongVersionIsLogged(t *testing.T) {
	var log bytes.Buffer
	r := enginetest.New(t, enginetest.Options{Server: func(c *engine.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
		require.NoError(t, c.Classes.Register(sim.Class{Name: "Extra", Parent: "NetObject", Moves: true, New: func() sim.Object { return new(sim.NetObject) }}))
	}})
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(2 * time.Second)
	assert.Equal(t, 1, strings.Count(log.String(), "join refused"))
	assert.Contains(t, log.String(), "lacks the server's class Extra")
	assert.Contains(t, log.String(), r.Clients[0].Identity().Public.String())
}
