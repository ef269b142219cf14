//go:build page

package engine

const canServe = false
