-- A maze by depth-first search, with lists of directions.
local W, H = 8, 6
local steps = { N = { 0, -1 }, S = { 0, 1 }, E = { 1, 0 }, W = { -1, 0 } }
local back = { N = "S", S = "N", E = "W", W = "E" }

local function grid(w, h)
	local g = {}
	for y = 1, h do
		g[y] = {}
		for x = 1, w do g[y][x] = { visited = false } end
	end
	return g
end

local function ways(g, x, y)
	local t = {}
	if y > 1 and not g[y - 1][x].visited then table.insert(t, "N") end
	if y < H and not g[y + 1][x].visited then table.insert(t, "S") end
	if x < W and not g[y][x + 1].visited then table.insert(t, 1, "E") end
	if x > 1 and not g[y][x - 1].visited then table.insert(t, #t + 1, "W") end
	return t
end

local function dig(seed)
	local g, path, x, y, n = grid(W, H), {}, 1, 1, 1
	g[1][1].visited = true
	while n < W * H do
		local list = ways(g, x, y)
		if #list == 0 then
			x, y = unpack(table.remove(path))
		else
			seed = (seed * 16807) % 2147483647
			local d = list[seed % #list + 1]
			table.insert(path, { x, y })
			g[y][x][d] = true
			x, y = x + steps[d][1], y + steps[d][2]
			g[y][x][back[d]], g[y][x].visited = true, true
			n = n + 1
		end
	end
	return g
end

local doors = 0
for _, row in ipairs(dig(7)) do
	for _, cell in ipairs(row) do
		for d in pairs(steps) do if cell[d] then doors = doors + 1 end end
	end
end
assert(doors == 2 * (W * H - 1))
return dig
