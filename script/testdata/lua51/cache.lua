-- A cache of the last n values, in a doubly linked list.
local LRU = {}
local mt = { __index = LRU, __len = function(self) return self.size end }

local function unlink(n) n.prev.next, n.next.prev = n.next, n.prev end
local function link(self, n)
	n.prev, n.next = self.head, self.head.next
	n.prev.next, n.next.prev = n, n
end

function LRU.new(most)
	assert(type(most) == "number" and most > 0, "most must be a positive number")
	local head = {}
	head.prev, head.next = head, head
	return setmetatable({ most = most, size = 0, head = head, nodes = {} }, mt)
end

function LRU:get(key)
	local n = self.nodes[key]
	if not n then return end
	unlink(n)
	link(self, n)
	return n.value
end

function LRU:set(key, value)
	local n = self.nodes[key]
	if n then
		n.value = value
		return self:get(key)
	end
	if self.size == self.most then
		local last = self.head.prev
		unlink(last)
		self.nodes[last.key], self.size = nil, self.size - 1
	end
	n = { key = key, value = value }
	self.nodes[key], self.size = n, self.size + 1
	link(self, n)
end

local c = LRU.new(2)
c:set("a", 1) c:set("b", 2) c:get("a") c:set("c", 3)
assert(c:get("a") == 1 and c:get("b") == nil and c:get("c") == 3)
assert(not pcall(LRU.new))
return LRU
