package main

import "testing"

// TestServerWithBotsEnds: there is nobody to tell at the other end of a bot.
func TestServerWithBotsEnds(t *testing.T) {
	p, _, _ := serveOn(t)
	p.say(`addBot("Bob").name`, "quit")
	p.lines(`"Bob"`)
	p.ends(ended)
}
