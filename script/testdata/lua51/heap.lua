-- A binary heap, and shortest paths with it.
local Heap = {}
Heap.__index = Heap
setmetatable(Heap, { __call = function(_, less) return setmetatable({ n = 0, less = less or function(a, b) return a < b end }, Heap) end })

function Heap:push(v)
	self.n = self.n + 1
	self[self.n] = v
	local i = self.n
	while i > 1 do
		local up = math.floor(i / 2)
		if not self.less(self[i], self[up]) then break end
		self[i], self[up] = self[up], self[i]
		i = up
	end
end

function Heap:pop()
	if self.n == 0 then return nil end
	local top = self[1]
	self[1], self[self.n], self.n = self[self.n], nil, self.n - 1
	local i = 1
	while true do
		local child = 2 * i
		if child > self.n then break end
		if child < self.n and self.less(self[child + 1], self[child]) then child = child + 1 end
		if not self.less(self[child], self[i]) then break end
		self[i], self[child] = self[child], self[i]
		i = child
	end
	return top
end

local function distances(graph, from)
	local far, open = {}, Heap(function(a, b) return a.d < b.d end)
	open:push { at = from, d = 0 }
	for node in function() return open:pop() end do
		if not far[node.at] or node.d < far[node.at] then
			far[node.at] = node.d
			for to, d in pairs(graph[node.at] or {}) do open:push { at = to, d = node.d + d } end
		end
	end
	return far
end

local d = distances({ a = { b = 1, c = 5 }, b = { c = 2 }, c = { a = 1 } }, "a")
assert(d.a == 0 and d.b == 1 and d.c == 3)
return Heap
