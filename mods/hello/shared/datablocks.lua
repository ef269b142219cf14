-- The server and the client both load the files in shared/ first.
--
-- A datablock is data that many objects share. The server declares it, and every client receives it
-- before it enters the game. (On a client, these lines declare nothing. They return a handle for
-- the datablock that the server sends.)

datablock "ItemData" "Ball" {
  mass = 1,
  elasticity = 0.8,
  friction = 0.1,
  look = { { "sphere", size = 1, at = vec(0, 0, 0.5), color = "orange" } }, -- how it looks, on every client
}

-- A datablock can inherit from another one and set only the fields that differ.
datablock "ItemData" "HeavyBall" {
  inherit = "Ball",
  mass = 20,
}
