for i = 1, 20 do
  new "Item" { dataBlock = ProbeBlock, position = vec(0, i * 20, 5) }
end
