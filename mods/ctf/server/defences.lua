-- Turrets of a base. A destroyed turret is rebuilt after some time.

local REBUILD = 60000 -- ms

function PlasmaTurret:onDestroyed(turret)
  turret.own.rebuilt = now() + REBUILD
  turret:schedule(REBUILD, "rebuild")
end

function PlasmaTurret:rebuild(turret) turret.own.rebuilt, turret.damageLevel = nil, 0 end

local defences = {}

-- defences.resume restarts the rebuild timers of turrets after a reload.
function defences.resume()
  for turret in objects "Turret" do
    if turret.own.rebuilt then turret:schedule(math.max(0, turret.own.rebuilt - now()), "rebuild") end
  end
end

return defences
