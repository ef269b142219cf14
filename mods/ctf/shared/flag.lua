-- The flag: a class of this mod, declared in Lua. Clients without ctf see it too.

FlagItem = datablock "ItemData" "FlagItem" {
  shape = "flag",
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
