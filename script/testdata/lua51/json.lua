-- A writer and a reader of JSON.
local json = {}
local escapes = { ["\\"] = "\\\\", ['"'] = '\\"', ["\n"] = "\\n", ["\t"] = "\\t" }

local encode
local writers = {
	["nil"] = function() return "null" end,
	number = function(n)
		if n ~= n or n <= -math.huge or n >= math.huge then error("not a number: " .. tostring(n)) end
		return string.format("%.14g", n)
	end,
	boolean = tostring,
	string = function(s) return '"' .. s:gsub('[%c"\\]', function(c) return escapes[c] or string.format("\\u%04x", c:byte()) end) .. '"' end,
	table = function(t, stack)
		local list = {}
		stack = stack or {}
		if stack[t] then error("circular") end
		stack[t] = true
		if rawget(t, 1) ~= nil or next(t) == nil then
			for i, v in ipairs(t) do table.insert(list, encode(v, stack)) end
			stack[t] = nil
			return "[" .. table.concat(list, ",") .. "]"
		end
		for k, v in pairs(t) do table.insert(list, encode(k, stack) .. ":" .. encode(v, stack)) end
		table.sort(list)
		stack[t] = nil
		return "{" .. table.concat(list, ",") .. "}"
	end,
}

function encode(value, stack)
	local write = writers[type(value)]
	if write then return write(value, stack) end
	error("unexpected type '" .. type(value) .. "'")
end

local function fail(text, at, why) error(string.format("%s at character %d", why, at), 0) end

local parse
local function list(text, at)
	local out, n = {}, 1
	at = text:match("^%s*()", at + 1)
	if text:sub(at, at) == "]" then return out, at + 1 end
	while 1 do
		out[n], at = parse(text, at)
		n = n + 1
		local sign
		sign, at = text:match("^%s*([%],])()", at)
		if sign == "]" then return out, at end
		if not sign then return fail(text, at or 0, "expected ']' or ','") end
	end
end

function parse(text, at)
	at = text:match("^%s*()", at)
	local sign = text:sub(at, at)
	if sign == "[" then return list(text, at) end
	local from, to = text:find("^%-?%d+%.?%d*", at)
	if from then return tonumber(text:sub(from, to)), to + 1 end
	for word, value in pairs { ["true"] = true, ["false"] = false } do
		if text:sub(at, at + #word - 1) == word then return value, at + #word end
	end
	fail(text, at, "unexpected character")
end

json.encode = function(value) return (encode(value)) end
json.decode = function(text)
	if type(text) ~= "string" then error("expected a string, got " .. type(text)) end
	local value, at = parse(text, 1)
	if at <= #text then fail(text, at, "trailing text") end
	return value
end

assert(json.encode { a = { 1, 2, "x\n" }, b = true } == '{"a":[1,2,"x\\n"],"b":true}')
assert(json.decode("[1, [2.5, true], []]")[2][1] == 2.5 and not pcall(json.decode, "[1,"))
return json
