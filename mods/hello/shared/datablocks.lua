-- Files in shared/ are loaded first, by server and client alike.
--
-- A datablock is data that many objects share. The server declares it; every client gets it before it
-- joins the game. (On a client these lines declare nothing: they give a handle to what the server sends.)

datablock "ItemData" "Ball" {
  mass = 1,
  elasticity = 0.8,
  friction = 0.1,
}

-- A datablock may build on another and say only what differs.
datablock "ItemData" "HeavyBall" {
  inherit = "Ball",
  mass = 20,
}
