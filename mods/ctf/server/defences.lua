-- What a base has to defend itself. A turret that was destroyed is rebuilt after a while.

local REBUILD = 60000 -- ms

function PlasmaTurret:onDestroyed(turret)
  turret:schedule(REBUILD, "rebuild")
end

function PlasmaTurret:rebuild(turret) turret.damageLevel = 0 end
