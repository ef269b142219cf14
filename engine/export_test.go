package engine

// Kinds is the table of the engine's events, for tests that speak it by hand.
var Kinds = kinds
