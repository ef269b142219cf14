-- Bit operations and checksums with arithmetic alone.
local B, floor = {}, math.floor
local MOD = 2 ^ 32
local function op(f)
	local memo = setmetatable({}, { __index = function(t, k) local r = {} t[k] = r return r end })
	return function(a, b)
		local known = memo[a][b]
		if known then return known end
		local x, y, r, p = a % MOD, b % MOD, 0, 1
		while x > 0 or y > 0 do
			if f(x % 2, y % 2) then r = r + p end
			x, y, p = floor(x / 2), floor(y / 2), p * 2
		end
		memo[a][b] = r
		return r
	end
end
B.band = op(function(a, b) return a + b == 2 end)
B.bor = op(function(a, b) return a + b > 0 end)
B.bxor = op(function(a, b) return a ~= b end)
function B.lshift(a, n) return (a * 2 ^ n) % MOD end
function B.rshift(a, n) return floor(a % MOD / 2 ^ n) end
function B.bnot(a) return (-1 - a) % MOD end
function B.tohex(n, width) return ("%0" .. (width or 8) .. "x"):format(n) end

function B.crc(text)
	local crc = MOD - 1
	for _, byte in ipairs { text:byte(1, -1) } do
		crc = B.bxor(crc, byte)
		for _ = 1, 8 do
			local mask = -B.band(crc, 1)
			crc = B.bxor(B.rshift(crc, 1), B.band(0xEDB88320, mask))
		end
	end
	return B.bnot(crc)
end

assert(B.band(12, 10) == 8 and B.bor(12, 10) == 14 and B.bxor(12, 10) == 6 and B.tohex(255) == "000000ff")
assert(B.tohex(B.crc("123456789")) == "cbf43926" and B.lshift(1, 31) == 2147483648)
return B
