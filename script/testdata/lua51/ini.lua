-- Reads lines of "key = value" in sections, and reports mistakes by line.
local function read(text)
	local out, section, n = {}, nil, 0
	for line in (text .. "\n"):gmatch("(.-)\r?\n") do
		n = n + 1
		line = line:gsub("%s*[;#].*$", "")
		local name = line:match("^%s*%[([^%[%]]+)%]%s*$")
		local key, value = line:match("^%s*([%w_.]+)%s*=%s*(.-)%s*$")
		if name then
			section = {}
			out[name] = section
		elseif key then
			if not section then return nil, n, "no section" end
			if value == "true" or value == "false" then
				section[key] = value == "true"
			else
				section[key] = tonumber(value) or value
			end
		elseif line:find("%S") then
			return nil, n, ("line %d: cannot read %q"):format(n, line)
		end
	end
	return out
end

local t = assert(read("[a]\nx = 1 ; one\nname = two words\non=true\n\n[b]\ny=0x10"))
assert(t.a.x == 1 and t.a.name == "two words" and t.a.on == true and t.b.y == 16)
local none, line, why = read("[a]\nwhat is this")
assert(none == nil and line == 2 and why:find("what is this", 1, true))
return read
