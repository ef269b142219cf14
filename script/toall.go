package script

import (
	"log/slog"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
)

// A toAll is a call of commandToAll. It makes the command once for each language of the clients.
type toAll struct {
	call    bind.Call
	options engine.CommandOptions
	name    sim.Value
	args    byLanguage
	shared  map[string]*engine.SharedCommand // by language; nil: one is made for each client
}

// sendToAll sends to every client. A client that cannot take the command, because its queue is
// full, does not stop the others, and only a warning names it. If no client can take it, the call
// fails.
func sendToAll(a bind.Call, o engine.CommandOptions) {
	name, message := messageArgs(a, 1)
	s := caller(a).scripts
	all := toAll{a, o, name, byLanguage{message: &message, scripts: s}, map[string]*engine.SharedCommand{}}
	var failed error
	var full *engine.Connection
	sent := 0
	for _, c := range s.engine.Connections() {
		if !c.Inbound() || c.Spectator() {
			continue
		}
		if err := all.send(c); err != nil {
			failed, full = err, c
		} else if !c.Bot() {
			sent++
		}
	}
	if failed != nil && sent == 0 {
		a.Fail("%s", failed)
	}
	toWatchers(a, name, &message)
	if failed != nil {
		s.Runtime.Log(slog.LevelWarn, "a command to all clients was not sent to this one",
			"mod", a.Mod.Name, "command", name.Text(), "connection", uint32(full.ID()), "why", failed)
	}
}

// send sends the command to one client.
func (t *toAll) send(c *engine.Connection) error {
	language := "" // of texts only
	if t.args.message.texts != nil {
		language = c.Language()
	}
	shared, made := t.shared[language]
	if !made {
		var err error
		if shared, err = t.args.scripts.engine.Share(t.options, t.name, t.args.forClient(c)); err != nil {
			return err
		}
		t.shared[language] = shared
	}
	if shared != nil && c.Commands.SendShared(shared) {
		return nil
	}
	return post(t.call, c, t.options, t.name, t.args.forClient(c))
}
