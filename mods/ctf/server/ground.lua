-- For missions, which run in here: where the ground is.

-- ground gives the place on the terrain at x, y, or up metres above it.
function ground(x, y, up) return vec(x, y, terrainHeight(x, y) + (up or 0)) end
