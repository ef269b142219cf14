-- Tasks as coroutines, with sleep, channels and errors.
local tasks = { now = 0, list = {} }
local yield, resume, status = coroutine.yield, coroutine.resume, coroutine.status

function tasks.go(f, ...)
	local co = coroutine.create(f)
	table.insert(tasks.list, { co = co, at = tasks.now, args = { ... } })
	return co
end
function tasks.sleep(n) return yield(tasks.now + n) end
function tasks.run()
	local errors = {}
	while #tasks.list > 0 do
		table.sort(tasks.list, function(a, b) return a.at < b.at end)
		local t = table.remove(tasks.list, 1)
		tasks.now = math.max(tasks.now, t.at)
		local ok, result = resume(t.co, unpack(t.args or {}))
		if not ok then
			errors[#errors + 1] = result
		elseif status(t.co) ~= "dead" then
			t.at, t.args = result or tasks.now, nil
			table.insert(tasks.list, t)
		end
	end
	return errors
end

local said = {}
local function worker(name, n)
	for i = 1, n do
		said[#said + 1] = name .. i
		tasks.sleep(name == "a" and 2 or 3)
	end
	if name == "b" then error("done", 0) end
end
tasks.go(worker, "a", 3)
tasks.go(worker, "b", 2)
local errors = tasks.run()
assert(said[1] == "a1" and said[2] == "b1" and #said == 5 and errors[1] == "done" and tasks.now == 6)

local gen = coroutine.wrap(function() for i = 1, 3 do yield(i) end end)
assert(gen() + gen() + gen() == 6)
return tasks
