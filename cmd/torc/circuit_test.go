package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

func TestQueueKeepsDatagramsApartAndAllocatesNothingWarm(t *testing.T) {
	var q queue
	var got []string
	receive := func(b []byte) { got = append(got[:min(len(got), 2)], string(b)) }
	q.push(netcore.Addr{}, []byte("one"))
	q.push(netcore.Addr{}, nil)
	q.push(netcore.Addr{}, []byte("three"))
	q.drain(receive)
	assert.Equal(t, []string{"one", "", "three"}, got)
	q.drain(func([]byte) { t.Error("drained twice") })

	b := make([]byte, netcore.MaxDatagram)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		q.push(netcore.Addr{}, b)
		q.drain(func([]byte) {})
	}))
}
