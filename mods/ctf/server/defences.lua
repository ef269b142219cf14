-- What a base has to defend itself. A turret that was destroyed is rebuilt after a while.

local REBUILD = 60000 -- ms

function PlasmaTurret:onDestroyed(turret)
  turret.own.rebuilt = now() + REBUILD
  turret:schedule(REBUILD, "rebuild")
end

function PlasmaTurret:rebuild(turret) turret.own.rebuilt, turret.damageLevel = nil, 0 end

local defences = {}

-- defences.resume has the turrets rebuilt that were about to be.
function defences.resume()
  for turret in objects "Turret" do
    if turret.own.rebuilt then turret:schedule(math.max(0, turret.own.rebuilt - now()), "rebuild") end
  end
end

return defences
