new "Marker" { name = "One" }
