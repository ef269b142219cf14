package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// TestDeletedArgumentsAreNil checks one rule for all functions that torc calls: an argument that is
// a deleted object is nil, although the object and its handle exist until the end of the tick.
func TestDeletedArgumentsAreNil(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/mod.toml": "name = \"a\"\nversion = \"1.0.0\"\npermissions = [\"mod.delete\"]\n",
		"a/server/init.lua": `
			function GameConnection.onGhostAcked(client, obj) obj:delete() end
			export("show", function(obj) return tostring(obj) end)`,
		"b/server/init.lua": `
			Zone = datablock "TriggerData" "Zone" {}
			D = datablock "ItemData" "D" {}
			zone = new "Trigger" { dataBlock = Zone, size = vec(9, 9, 9) }
			keep = {}
			function Zone:onEnterTrigger(_, obj) keep[1] = obj end
			function Zone:onLeaveTrigger(_, obj) echo("leave", obj) end
			function D:onCollision(_, other) echo("touch", other) end
			function D:onSomething(_, other) echo("method", other) end
			function GameConnection.onGhostAcked(client, obj) echo("acked", obj) end
			function serverCmd.Look(client, obj) echo("command", obj) end
			function thing(name)
				local o = new "Item" { dataBlock = D, name = name, position = vec(0, 0, 1) }
				keep[#keep + 1] = o
				return o
			end
			export("timer", function()
				local o = thing "T"
				schedule(0, function(...) echo("timer", ...) end, o, 5)
				thing "U":schedule(0, "onSomething", o)
				o:delete()
			end)
			export("pass", function()
				local o = thing "P"
				import("a").show(o)
				o:delete()
				return import("a").show(o)
			end)
			export("client", function() bot = addBot "Bot" bot:add(thing "Body") return bot end)
			export("thing", thing)`,
	})).load("a", "b")
	tick := func() []string {
		h.out = nil
		h.host.Tick(0)
		return h.out
	}
	h.steps(step{`bot = import("b").client()`, ``})
	for range 3 {
		tick()
	}

	h.steps(step{`bot:disconnect("bye")`, ``})
	assert.Contains(t, append(tick(), tick()...), "leave\tnil", "a body that goes with its client inside a trigger")

	h.steps(step{`import("b").timer()`, ``})
	assert.Equal(t, []string{"timer\tnil\t5", "method\tnil"}, append(tick(), tick()...))
	h.steps(step{`import("b").pass()`, `"nil"`})

	h.steps(step{`bot = import("b").client() o = import("b").thing "O" p = import("b").thing "P"`, ``})
	o, p := h.host.World().FindName("O"), h.host.World().FindName("P")
	c := h.host.Connections()[0]
	h.out = nil
	h.scripts.Hooks().GhostAcked(c, o)
	assert.Equal(t, []string{"acked\tnil"}, h.out, "mod a deletes the object before mod b is called")
	h.out = nil
	h.scripts.Hooks().Event(p, "onCollision", []sim.Value{sim.Handle(o.Ident().ID())})
	h.scripts.Hooks().Command(c, "Look", []sim.Value{sim.Handle(o.Ident().ID())})
	assert.Equal(t, []string{"touch\tnil", "command\tnil"}, h.out)
	assert.Empty(t, h.log)
}

// TestCallbacksOfDeletedObjectsAreSkipped checks that the callback of the datablock does not run if
// the callback of the class has deleted the object. onRemove runs for both.
func TestCallbacksOfDeletedObjectsAreSkipped(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/shared/a.lua": `
		Thing = class "Thing" { inherit = "Item" }
		D = datablock "ItemData" "D" {}
		function Thing:onDamage() echo("class") self:delete() end
		function D:onDamage(obj) echo("datablock", obj) end
		function Thing:onRemove() echo("class removes", self.name) end
		function D:onRemove(obj) echo("datablock removes", obj.name) end
		new "Thing" { dataBlock = D, name = "T" }
		Brief = class "Brief" {}
		function Brief:onAdd() self:delete() end
		export("brief", function() return tostring(new("Brief") {}) end)
		Named = class "Named" {}
		function Named:onAdd() self.name = "N" self:delete() end
		export("named", function() schedule(0, function(o) echo("timer", o) end, new("Named") {}) end)`})).load("m")
	o := h.host.World().FindName("T")
	require.NotNil(t, o)
	h.scripts.Hooks().Event(o, "onDamage", nil)
	assert.Equal(t, []string{"class"}, h.out)
	h.out = nil
	h.host.Tick(0)
	assert.Equal(t, []string{"class removes\tT", "datablock removes\tT"}, h.out)
	assert.NotEqual(t, `"nil"`, h.line(`import("m").brief()`), "new returns a handle, also if onAdd deletes the object")
	h.out = nil
	h.line(`import("m").named()`)
	h.host.Tick(0)
	assert.Equal(t, []string{"timer\tnil"}, h.out, "the handle was used in onAdd")
	assert.Empty(t, h.log)
}
