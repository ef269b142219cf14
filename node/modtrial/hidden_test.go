package modtrial

import "testing"

// TestHideField reads the ghosts of several clients, as a cheat would, while fields are hidden and
// shown.
func TestHideField(t *testing.T) {
	results := run(t, Options{},
		"m/shared/card.lua", `
			Card = class "Card" { inherit = "Marker", fields = {
				value = int(-20, 20, { default = 7 }), face = str(20), of = ref "NetObject", size = int(0, 9), heat = float(0, 1, 8), fuel = float(0, 1, 8, { group = "tank" }), leaks = bool { group = "tank" },
				left = bool { group = "side" }, right = bool { group = "side" },
			} }`,
		"m/test/x_test.lua", `
			local function sees(c, card, field) return (c:lua("local card, field = ... return card[field]", card, field)) end
			local function all(c, card) return sees(c, card, "value"), sees(c, card, "face"), sees(c, card, "size") end
			local function new_card()
				local card = new "Card" { value = 13, face = "king", size = 5, left = true, right = true }
				card:setScopeAlways()
				return card
			end
			local function deep(...) return { ... } end

			test("hidden from all but its owner, also from clients that join later", function()
				local ann, bob = client { name = "Ann" }, client { name = "Bob" }
				local card = new_card()
				card:hideField("value")
				card:hideField("face", nil, true)
				card:hideField("VALUE", ann.client, false)
				wait(500)
				equal(deep(all(ann, card)), { 13, "", 5 })
				equal(deep(all(bob, card)), { 7, "", 5 })
				card.value, card.face, card.size = -3, "queen", 6
				wait(500)
				equal(deep(all(ann, card)), { -3, "", 6 })
				equal(deep(all(bob, card)), { 7, "", 6 })
				local cid = client { name = "Cid" }
				wait(500)
				equal(deep(all(cid, card)), { 7, "", 6 })
				card:hideField("face", nil, false)
				card:hideField("value", cid.client, false)
				wait(500)
				equal(deep(all(ann, card)), { -3, "queen", 6 })
				equal(deep(all(bob, card)), { 7, "queen", 6 })
				equal(deep(all(cid, card)), { -3, "queen", 6 })
			end)

			test("a client keeps what it knew, and a new ghost knows nothing", function()
				local ann = client { name = "Ann" }
				local card = new_card()
				wait(500)
				equal(sees(ann, card, "value"), 13)
				card:hideField("value", ann.client)
				card.value = 1
				wait(500)
				equal(sees(ann, card, "value"), 13)
				card:setScopeGroups { 3 }
				wait(500)
				ann.client:setScopeGroups { 3 }
				wait(500)
				equal(sees(ann, card, "value"), 7)
			end)

			test("fields of a group, on a line with loss", function()
				local ann = client { name = "Ann" }
				network(ann, { loss = 0.3, delay = 30, jitter = 20 })
				local cards = {}
				for i = 1, 20 do
					local card = new_card()
					cards[i] = card
					card:hideField("left", ann.client)
					card:hideField("face", ann.client)
					ticks(1 + i % 7)
					card.left, card.right, card.value, card.face = false, false, i, "x" .. i
					ticks(1 + i % 5)
					card:hideField("face", ann.client, false)
				end
				wait(4000)
				for i, card in ipairs(cards) do
					equal(deep(all(ann, card)), { i, "x" .. i, 5 })
					equal({ sees(ann, card, "left"), sees(ann, card, "right") }, { false, false })
				end
				for _, card in ipairs(cards) do card.left, card.right = true, true end
				wait(2000)
				for _, card in ipairs(cards) do equal({ sees(ann, card, "left"), sees(ann, card, "right") }, { false, false }) end
			end)

			test("errors", function()
				local card = new_card()
				card:hideField("fuel")
				fails(function() card:hideField("heat") end, "updates carry its difference from earlier values")
				card:hideField("of")
				fails(function() card:hideField("valu") end, 'did you mean "value"?')
				fails(function() card:hideField("position") end, "field position of class Card cannot be hidden: updates carry its difference")
				fails(function() card:hideField("value", 99999) end, "99999")
				fails(function() new "ScriptObject" {} :hideField("name") end, "NetObject")
			end)`)
	allPass(t, 4, results)
}
