test("the world has a beacon and a crate", function()
  equal(find("lighthouse").reach, 500)
  equal(find("cargo").load, 80)
end)

test("a beacon goes on and off", function()
  local was = find("lighthouse").lit
  wait(2000, function() return find("lighthouse").lit ~= was end)
end)
