for i = 1, 12 do
  new "Item" { dataBlock = ProbeBlock, position = vec(i * 20, 0, 5) }
end
