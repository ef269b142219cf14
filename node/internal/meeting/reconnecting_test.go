package meeting

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

// TestTryLater checks which refusals end the tries of a client that comes back.
func TestTryLater(t *testing.T) {
	for text, later := range map[string]bool{
		"server is full (32)":             true,
		"the server is paused: try again": true,
		"the server checks too many connect requests at the moment: try again":           true,
		"the server demands too much work of its clients at the moment: try again later": true,
		"too many wrong passwords from your address: try again in 54s":                   true,
		"wrong password":  false,
		engine.ClosedText: false,
		"you are banned":  false,
		"":                false,
	} {
		assert.Equal(t, later, TryLater(netcore.Reason{Code: netcore.Refused, Text: text}), text)
	}
	assert.True(t, TryLater(netcore.Reason{Code: netcore.ConnectTimeout}))
	assert.False(t, TryLater(netcore.Reason{Code: netcore.KeyChanged, Text: "server is full"}))
}

// TestComesBack checks every reason of an end. Decisions of a person, and those about the client,
// are final.
func TestComesBack(t *testing.T) {
	back := map[netcore.ReasonCode]bool{
		netcore.TimedOut: true, netcore.Forgotten: true, netcore.Restarting: true, netcore.ConnectTimeout: true,
		netcore.Violation: true, netcore.BadPacket: true, netcore.Overflow: true,
	}
	for code := range netcore.ReasonCode(64) {
		assert.Equal(t, back[code], new(Reconnecting).ComesBack(time.Hour, code), "%v", netcore.Reason{Code: code})
	}
}

// TestFaultsBringBackOnce checks that a client comes back from a fault of a program once in ten
// minutes, also if it has been in the game since. Each fault begins these minutes anew, and other
// ends do not count.
func TestFaultsBringBackOnce(t *testing.T) {
	var r Reconnecting
	for _, x := range []struct {
		after time.Duration
		why   netcore.ReasonCode
		back  bool
	}{
		{0, netcore.Violation, true},
		{time.Second, netcore.Overflow, false},
		{faultPause, netcore.TimedOut, true},
		{faultPause + time.Second - 1, netcore.BadPacket, false},
		{2 * faultPause, netcore.BadPacket, false},
		{3 * faultPause, netcore.BadPacket, true},
	} {
		assert.Equal(t, x.back, r.ComesBack(x.after, x.why), "%v after %v", netcore.Reason{Code: x.why}, x.after)
		r.Back()
	}
}

// TestWaitsOfReconnecting checks the times of the tries: each wait is between a half and the whole
// of 1, 2, 4 … 30 s, and everywhere between. The game begins them anew.
func TestWaitsOfReconnecting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var least, most [10]time.Duration
	for range 500 {
		var r Reconnecting
		for try := range most {
			now := time.Duration(try) * time.Hour
			wait := r.Next(now, random)
			assert.True(t, r.On)
			assert.Equal(t, now+wait, r.At)
			if least[try] == 0 || wait < least[try] {
				least[try] = wait
			}
			most[try] = max(most[try], wait)
		}
		r.Back()
		assert.Equal(t, Reconnecting{}, r)
		assert.LessOrEqual(t, r.Next(0, random), firstReconnect)
	}
	for try, whole := range []time.Duration{1, 2, 4, 8, 16, 30, 30, 30, 30, 30} {
		whole *= time.Second
		assert.InDelta(t, float64(whole/2), float64(least[try]), float64(whole)/40, "try %d", try)
		assert.InDelta(t, float64(whole), float64(most[try]), float64(whole)/40, "try %d", try)
		assert.Greater(t, least[try], whole/2-1)
		assert.LessOrEqual(t, most[try], whole)
	}
}

// TestInVain: a server that said it may come back is given up after a minute without an answer. One
// that answers is back. Other ends have no limit.
func TestInVain(t *testing.T) {
	silent, full := netcore.Reason{Code: netcore.ConnectTimeout}, netcore.Reason{Code: netcore.Refused, Text: "server is full (32)"}
	var r Reconnecting
	assert.True(t, r.ComesBack(time.Hour, netcore.Restarting))
	assert.False(t, r.InVain(time.Hour+59*time.Second, silent))
	assert.True(t, r.InVain(time.Hour+time.Minute, silent))
	assert.False(t, r.InVain(time.Hour+time.Minute, full))
	assert.False(t, r.InVain(2*time.Hour, silent), "it was back")
	r.Back()
	assert.True(t, r.ComesBack(3*time.Hour, netcore.TimedOut))
	assert.False(t, r.InVain(5*time.Hour, silent))
}
