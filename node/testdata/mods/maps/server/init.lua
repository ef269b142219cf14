function onMissionLoaded(seq, name) echo("loaded " .. name) end
