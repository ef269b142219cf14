-- The flag: a class of this mod, declared in Lua. Clients without ctf see it too.

FlagItem = datablock "ItemData" "FlagItem" {
  shape = "flag",
  look = {
    { "cylinder", at = vec(0, 0, 0.06), size = vec(0.9, 0.9, 0.12), color = "metal" },
    { "cylinder", at = vec(0, 0, 1.4), size = vec(0.09, 0.09, 2.8), color = "#cfd6dc" },
    { "sphere", at = vec(0, 0, 2.85), size = 0.2, glow = 1 },
    { "cloth", at = vec(0, 0, 2.25), size = vec(1.5, 1, 0.8) },
    { "sprite", at = vec(0, 0, 2.85), image = "glow", size = 1.2, color = "team", glow = 0.5 },
  },
  mass = 5,
  radius = 1,
  elasticity = 0,
  friction = 2,
  description = "Take theirs home to yours.",
}

Flag = class "Flag" {
  inherit = "Item",
  description = "A flag that players take and bring home.",
  fields = {
    team = int(1, 2),                -- the team that owns it
    carrier = ref "Player",          -- the player who carries it, or nil
    home = bool { default = true },  -- whether it is at its stand
  },
}
