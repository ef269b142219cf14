-- A probe is an object whose fields tell how old they are. a and b change together, label follows.
Probe = class "Probe" {
  fields = {
    serial = int(0, 16777215),
    mask = int(0, 255),
    a = int(0, 16777215, { group = "pair" }),
    b = int(0, 16777215, { group = "pair" }),
    label = str(32),
    friend = ref "Probe",
  },
}

ProbeBlock = datablock "ItemData" "ProbeBlock" { mass = 1, gravityMod = 0, sticky = true, description = "0" }
