package core

var pluralForms func(language string) func(n float64) string
