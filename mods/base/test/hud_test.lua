test("a HUD line stays until it is replaced, and is sent once", function()
  local ann = client { name = "Ann" }
  hud(ann.client, 3, "ammo %1 of %2", 7, 15)
  waitFor(function() return ann:hud(3) == "ammo 7 of 15" end)
  hudAll(3, "ammo %1 of %2", 8, 15)
  waitFor(function() return ann:hud(3) == "ammo 8 of 15" end)
  hud(ann.client, 3, nil)
  waitFor(function() return ann:hud(3) == "" end)
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
