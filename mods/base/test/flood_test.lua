local flood = require "server.flood"

test("the network of an address", function()
  for address, network in pairs {
    ["10.0.0.7:28000"] = "10.0.0.7", ["[2001:db8:1:2:3:4:5:6]:9"] = "2001:db8:1:2", ["[2001:db8::1]:9"] = "2001:db8:0:0",
    ["[::1]:9"] = "0:0:0:0", ["[1:2::3:4:5:6:7]:9"] = "1:2:0:3", ["[fe80::1%eth0]:9"] = "fe80:0:0:0", ["local"] = "local", ["sim:3"] = "sim:3",
  } do
    equal(flood.network(address), network, address)
  end
end)

test("a reason for leaving is cleaned and cut", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  wait(200)
  ann:lines()
  bob.client:disconnect("a\27[2J\226\128\174" .. ("x"):rep(200))
  wait(300)
  equal(ann:lines(), { "Bob has left the game (a[2J" .. ("x"):rep(60) .. ")." })
end)

test("joins and leaves of one network are announced at most 8 times in 10 s", function()
  local ann = client { name = "Ann" }
  wait(200)
  ann:lines()
  local network = flood.network
  flood.network = function() return "one house" end
  for n = 1, 8 do
    local c = client { name = "Bob" }
    c:leave()
    waitFor(function() return #clientGroup == 1 end)
  end
  wait(200)
  flood.network = network
  equal(#ann:lines(), 8)
end)

test("the chat limit belongs to the key", function()
  local ann = client { name = "Ann" }
  for n = 1, 8 do equal(flood.text(ann.client), false) end
  local again = { key = ann.client.key }
  equal(flood.text(again), true)
  wait(10100)
  equal(flood.text(again), false)
end)
