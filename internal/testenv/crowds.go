package testenv

// Crowds are the numbers of addresses, keys or mods that are over a limit in the tests of limits
// that all share: one, a few, and about as many as have places.
var Crowds = []int{1, 32, 250}
