new "Marker" { name = "Two" }
