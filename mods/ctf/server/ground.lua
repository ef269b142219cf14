-- Ground height for missions: missions run in the Lua state of the mod.

-- ground returns the place on the terrain at x, y, raised by up metres.
function ground(x, y, up) return vec(x, y, terrainHeight(x, y) + (up or 0)) end
