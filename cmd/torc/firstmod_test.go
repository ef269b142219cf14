package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPageFirstMod types all of docs/firstmod.md. Its mod works, and each output is as the page
// shows it.
func TestPageFirstMod(t *testing.T) {
	var r reading
	for _, b := range pageOf(t, "firstmod.md") {
		words := strings.Fields(b.text)
		switch {
		case b.shell(t), b.file(t):
		case b.text == "go install ./cmd/torc\n": // as the tests of processes build it
		case b.lang == "sh" && words[1] == "serve":
			r.serve(t, words[1:]...)
		case b.lang == "sh" && words[1] == "join":
			r.joins(t, words[1:]...)
		case r.plays(t, b):
		default:
			require.True(t, strings.HasPrefix(b.text, mistake), "nobody runs this:\n%s", b.text)
		}
	}
	require.NotNil(t, r.client)
}

// TestPageFirstModInProcesses runs the page's commands and checks that they start the named
// programs.
func TestPageFirstModInProcesses(t *testing.T) {
	var server, client *process
	address := ""
	_, err := torc() // before the working directory changes
	require.NoError(t, err)
	for _, b := range pageOf(t, "firstmod.md") {
		words := strings.Fields(b.text)
		switch {
		case b.shell(t), b.file(t):
		case b.lang == "sh" && words[1] == "serve":
			server, address, _ = serveOn(t, words[2:]...)
		case b.lang == "sh" && words[1] == "join":
			client = joinTo(t, address, words[3:]...)
		}
	}
	client.say("key slot3")
	client.expect("You hold a snow gun.")
	client.say("server.controlObject.image0 == SnowGun")
	client.expect("true")
	server.quits()
	client.ends(ended)
}

const mistake = "mod snow is not loaded: "

// TestPageFirstModMistake checks that the server reports a mistake with the text on the page.
func TestPageFirstModMistake(t *testing.T) {
	_, err := torc()
	require.NoError(t, err)
	for _, b := range pageOf(t, "firstmod.md") {
		if strings.Contains(b.text, `"Snowball" {`) {
			b.text = strings.Replace(b.text, "muzzleVelocity", "muzzleVelocty", 1)
		}
		if b.shell(t) || b.file(t) || !strings.HasPrefix(b.text, mistake) {
			continue
		}
		p := start(t, "serve", "--listen", "127.0.0.1:0", "--mods", "mods", "--mod", "snow", "--strict")
		p.ends(failed)
		require.Contains(t, p.err.String(), strings.TrimSpace(b.text))
	}
}
