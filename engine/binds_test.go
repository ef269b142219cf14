package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
)

// A bindRig is a game of a server and a client that is asked for keys.
type bindRig struct {
	*enginetest.Rig
	told [][]engine.Bind // by change
}

func newBindRig(t *testing.T) *bindRig {
	r := &bindRig{}
	r.Rig = enginetest.New(t, enginetest.Options{Both: func(cfg *engine.Config) {
		cfg.Binds = func(_ *engine.Connection, asked []engine.Bind) { r.told = append(r.told, asked) }
	}})
	r.Join()
	return r
}

func (r *bindRig) ask(mod, name string) error {
	return r.Peer(0).Binds().Ask(mod, engine.Bind{Mod: mod, Name: name, Key: 8, Text: "open " + name})
}

// names returns the binds that the client knows.
func (r *bindRig) names() (list []string) {
	for _, b := range r.Clients[0].Host.Server().Binds().Told() {
		list = append(list, b.Mod+"."+b.Name)
	}
	return list
}

// TestBindsReachTheClient walks the life of a bind: asked, changed, ended, and the end of the
// connection.
func TestBindsReachTheClient(t *testing.T) {
	r := newBindRig(t)
	require.NoError(t, r.ask("m", "inventory"))
	require.NoError(t, r.ask("m", "inventory"), "the same again is not sent")
	require.NoError(t, r.Peer(0).Binds().Ask("m", engine.Bind{Mod: "m", Name: "map", Key: 47, Text: "a\x1b[31mmap\u202e"}))
	require.NoError(t, r.Peer(0).Binds().Ask("other", engine.Bind{Mod: "other", Name: "map", Key: 30}))
	r.Run(time.Second)
	assert.Len(t, r.told, 3)
	assert.Equal(t, []engine.Bind{
		{Mod: "m", Name: "inventory", Key: 8, Text: "open inventory"}, {Mod: "m", Name: "map", Key: 47, Text: `a\x1b[31mmap\u202e`}, {Mod: "other", Name: "map", Key: 30, Text: "map"},
	}, r.told[2])
	assert.Equal(t, "I F12 4", fmt.Sprintf("%v %v %v", r.told[2][0].Key, r.told[2][1].Key, r.told[2][2].Key))

	require.NoError(t, r.Peer(0).Binds().Ask("again", engine.Bind{Mod: "m", Name: "Map", Key: 0}))
	assert.True(t, r.Peer(0).Binds().End("m", "INVENTORY"), "commands have no case")
	assert.False(t, r.Peer(0).Binds().End("m", "inventory"))
	r.Run(time.Second)
	assert.Equal(t, []string{"m.Map", "other.map"}, r.names())
	r.Peer(0).Binds().EndOf("m")
	r.Run(time.Second)
	assert.Equal(t, []string{"m.Map", "other.map"}, r.names(), "it belongs to another owner by now")
	r.Peer(0).Binds().EndOf("again")
	r.Run(time.Second)
	assert.Equal(t, []string{"other.map"}, r.names())
	c := r.Peer(0)
	c.Disconnect("enough")
	r.Run(time.Second)
	assert.Empty(t, r.told[len(r.told)-1])
	assert.EqualError(t, c.Binds().Ask("m", engine.Bind{Mod: "m", Name: "x"}), "the connection has ended")
}

// TestBadBindsAreErrors gives one sentence for each mistake.
func TestBadBindsAreErrors(t *testing.T) {
	r := newBindRig(t)
	for name, why := range map[string]string{"": `got ""`, "a b": `got "a b"`, "a.b": `got "a.b"`, strings.Repeat("x", 33): "must be 1 to 32 letters"} {
		assert.ErrorContains(t, r.ask("m", name), why)
	}
	assert.ErrorContains(t, r.ask("m", strings.Repeat("x", 5000)), "xxx")
	assert.ErrorContains(t, r.Peer(0).Binds().Ask("m", engine.Bind{Name: "x", Text: strings.Repeat("ä", 65)}), "the text has 130 bytes: must be at most 128")
	for _, key := range []string{"", "Escape", "F13", "F0", "é", "10", "II"} {
		_, err := engine.ParseKey(key)
		assert.ErrorContains(t, err, "the key must be A…Z, 0…9 or F1…F12, got")
	}
	for _, key := range []string{"i", "I", "0", "f12"} {
		k, err := engine.ParseKey(key)
		require.NoError(t, err)
		assert.Equal(t, strings.ToUpper(key), k.String())
	}
	assert.Error(t, r.Clients[0].Host.Server().Binds().Ask("m", engine.Bind{Name: "x"}), "a client asks nobody")
	bot, err := r.Server.AddBot("Bo")
	require.NoError(t, err)
	require.NoError(t, bot.Binds().Ask("m", engine.Bind{Mod: "m", Name: "x"}))
}

// TestNoModTakesTheBindsOfOthers fills the binds of a client, with 1, 32 and 250 mods.
func TestNoModTakesTheBindsOfOthers(t *testing.T) {
	for _, mods := range []int{1, 32, 250} {
		r := newBindRig(t)
		for i := range engine.MaxBinds {
			require.NoError(t, r.ask("greedy", fmt.Sprint("b", i)))
		}
		assert.EqualError(t, r.ask("greedy", "b16"), "the client has 16 binds: end one with unbind first")
		require.NoError(t, r.ask("greedy", "b3"), "one that it has")
		for i := range mods {
			err := r.ask(fmt.Sprint("m", i), "b")
			if i < engine.MaxBinds-1 {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "end one with unbind first")
			}
		}
		r.Run(time.Second)
		names := r.names()
		assert.Len(t, names, engine.MaxBinds)
		assert.Contains(t, names, "greedy.b15", "the oldest ones make room")
	}
}

// TestAHostileServerAsksForNoMoreKeys: binds without ends, and one without a name.
func TestAHostileServerAsksForNoMoreKeys(t *testing.T) {
	r := newBindRig(t)
	c := r.Peer(0)
	for i := range 500 {
		engine.PostBind(c, engine.Bind{Mod: "m", Name: fmt.Sprint("b", i), Text: "\u202e"})
	}
	r.Run(2 * time.Second)
	names := r.names()
	require.Len(t, names, 4*engine.MaxBinds)
	assert.Contains(t, names, "m.b499")
	assert.Equal(t, `\u202e`, r.told[len(r.told)-1][0].Text)
	engine.PostBind(c, engine.Bind{Mod: "m", Name: "a b"})
	r.Run(time.Second)
	why, over := c.Net().Closed()
	assert.True(t, over)
	assert.Contains(t, why.Text, "the name must be 1 to 32 letters")
}

// TestAClientAsksForNoKeys: a bind to a server ends the connection.
func TestAClientAsksForNoKeys(t *testing.T) {
	r := newBindRig(t)
	c := r.Peer(0)
	engine.PostBind(r.Clients[0].Host.Server(), engine.Bind{Mod: "m", Name: "x"})
	r.Run(time.Second)
	why, over := c.Net().Closed()
	assert.True(t, over)
	assert.Contains(t, why.Text, "a form or a bind goes to a client, and an answer to the server")
}

// TestBindsOfASlowClientAreBounded: a mod gets an error before the queue is full.
func TestBindsOfASlowClientAreBounded(t *testing.T) {
	r := newBindRig(t)
	r.Clients[0].Host.Server().Line.SetLink(engine.LinkParams{Loss: 1})
	var err error
	for i := 0; i < 10000 && err == nil; i++ {
		err = r.Peer(0).Binds().Ask("m", engine.Bind{Mod: "m", Name: "x", Text: fmt.Sprint(i, strings.Repeat("Zq#7", 30))})
	}
	assert.ErrorContains(t, err, "bytes of this mod's commands and forms yet")
	require.NoError(t, r.ask("other", "x"), "another mod is not concerned")
}
