test("a HUD line stays until it is replaced, and is sent once", function()
  local ann = client { name = "Ann" }
  hud(ann.client, 3, "ammo %1 of %2", 7, 15)
  waitFor(function() return ann:hud(3) == "ammo 7 of 15" end)
  hudAll(3, "ammo %1 of %2", 8, 15)
  waitFor(function() return ann:hud(3) == "ammo 8 of 15" end)
  hud(ann.client, 3, nil)
  waitFor(function() return ann:hud(3) == "" end)
end)

test("a HUD line is compared with what it showed last", function()
  local ann = client { name = "Ann" }
  for _, shows in ipairs { { 7, 15 }, { 8, 15 }, { 7, 15 }, { 7 }, { 7, 16 } } do
    local text = shows[1] .. " of " .. (shows[2] or "")
    for line = 3, 4 do
      hud(ann.client, line, "%1 of %2", unpack(shows))
      local was = ann.client.own.hud[line]
      equal({ was[11], was[1], was[2], was[10] }, { #shows, shows[1], shows[2] or "nil", "%1 of %2" })
    end
    waitFor(function() return ann:hud(3) == text and ann:hud(4) == text end)
  end
end)

test("a HUD line shows the name of a client, and the next name", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  hud(ann.client, 3, "%1 leads", bob.client)
  waitFor(function() return ann:hud(3) == "Bob leads" end)
  bob.client.name = "Bill"
  hud(ann.client, 3, "%1 leads", bob.client)
  waitFor(function() return ann:hud(3) == "Bill leads" end)
end)

test("HUD lines are numbered 1 to 14", function()
  local ann = client { name = "Ann" }
  for _, line in ipairs { 0, 15, 1.5, "x" } do
    fails(function() hud(ann.client, line, "text") end, "the line must be 1…14")
  end
end)

test("a print disappears after its time", function()
  local ann = client { name = "Ann" }
  centerPrint(ann.client, "Look out!", 2)
  bottomPrintAll("down there", 4)
  waitFor(function() return ann:hud(15) == "Look out!" and ann:hud(16) == "down there" end)
  wait(2500)
  equal({ ann:hud(15), ann:hud(16) }, { "", "down there" })
  wait(2000)
  equal(ann:hud(16), "")
end)

test("a print is cleared before its time, and the next one stays for its own", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  centerPrintAll("Look out!", 2)
  bottomPrintAll("down there", 60)
  waitFor(function() return bob:hud(15) == "Look out!" and bob:hud(16) == "down there" end)
  clearCenterPrint(ann.client)
  clearBottomPrint(bob.client)
  waitFor(function() return ann:hud(15) == "" and bob:hud(16) == "" end)
  equal({ ann:hud(16), bob:hud(15) }, { "down there", "Look out!" })
  clearCenterPrintAll()
  clearBottomPrintAll()
  wait(500)
  equal({ ann:hud(16), bob:hud(15) }, { "", "" })
  centerPrint(ann.client, "again", 5)
  wait(3000)
  equal(ann:hud(15), "again", "the time of the cleared print is over")
end)

-- menus notes what menuKey returns for the keys of a client, and which keys reach no menu.
local chosen = {}
override(serverCmd, "Key", function(parent, client, key)
  local name, n = menuKey(client, key)
  chosen[#chosen + 1] = name and name .. " " .. n or key
  return parent()
end)

-- keyed returns what has been noted since the last call.
local function keyed()
  local noted = chosen
  chosen = {}
  return noted
end

test("a menu is a form, and its buttons are keys", function()
  local ann = client { name = "Ann" }
  fails(function() menu(ann.client, "gear", "Gear", {}) end, "1 to 9 choices")
  fails(function() menu(ann.client, "gear", "Gear", { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }) end, "1 to 9 choices")
  menu(ann.client, "gear", "Gear", { "light", "heavy" })
  wait(200)
  equal(ann:console "form", "Gear\n1  [light]\n2  [heavy]")
  ann:console "form 2"
  wait(200)
  equal(keyed(), { "gear 2" }, "by its button")
  equal(ann:console "form", "no form is open")
  menu(ann.client, "gear", ("a long title "):rep(10), { "light", "heavy" })
  wait(200)
  truthy(ann:console "form":find "^\na long title a long")
  ann:command("Key", "use")
  ann:command("Key", "slot1")
  ann:command("Key", "slot2")
  wait(200)
  equal(keyed(), { "use", "gear 1", "slot2" }, "by its key, once")
  equal(ann:console "form", "no form is open")
  menu(ann.client, "gear", "Gear", { "light", "heavy" })
  ann:command("Key", "slot3")
  wait(200)
  equal(keyed(), { "slot3" }, "there is no third choice")
  equal(ann:console "form", "no form is open")
end)

test("a menu closes after 15 s, and another one takes its place", function()
  local ann = client { name = "Ann" }
  menu(ann.client, "gear", "Gear", { "light" })
  wait(10000)
  menu(ann.client, "size", "Size", { "small", "large" })
  wait(6000)
  equal(ann:console "form", "Size\n1  [small]\n2  [large]")
  wait(10000)
  equal(ann:console "form", "no form is open")
  ann:command("Key", "slot1")
  wait(200)
  equal(keyed(), { "slot1" }, "it was too late, and nobody has closed it")
end)

test("a menu closes without a choice: by its player and by the server", function()
  local ann = client { name = "Ann" }
  menu(ann.client, "gear", "Gear", { "light", "heavy" })
  wait(200)
  ann:console "form close"
  wait(200)
  ann:command("Key", "slot1")
  wait(200)
  equal(keyed(), { "cancel", "slot1" }, "the player has closed it")
  menu(ann.client, "gear", "Gear", { "light", "heavy" })
  equal({ menuKey(ann.client, "cancel") }, {})
  equal({ menuKey(ann.client, "slot1") }, {}, "a mod without a call of parent closes it, too")
  menu(ann.client, "gear", "Gear", { "light", "heavy" })
  closeMenu(ann.client)
  wait(200)
  equal(ann:console "form", "no form is open")
  equal({ menuKey(ann.client, "slot1") }, {}, "the server has closed it")
  closeMenu(ann.client)
  equal(keyed(), {}, "no player has closed these")
end)
