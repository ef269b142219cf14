package tasks

import (
	"fmt"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDay runs two tasks through a day.
func TestDay(t *testing.T) {
	now := time.Date(2026, 3, 1, 3, 59, 30, 0, time.UTC)
	var l List
	_, err := l.Every(now, "8h", "backup")
	require.NoError(t, err)
	_, err = l.Daily(now, "04:00", "restart")
	require.NoError(t, err)
	assert.Equal(t, "1 every 8h0m0s, next 2026-03-01 11:59:30: backup\n2 daily at 04:00, next 2026-03-01 04:00:00: restart", l.String())
	var ran []string
	for range 24 * 60 * 2 {
		for _, line := range l.Due(now) {
			ran = append(ran, now.Format("15:04:05 ")+line)
		}
		now = now.Add(30 * time.Second)
	}
	assert.Equal(t, []string{"04:00:00 restart", "11:59:30 backup", "19:59:30 backup"}, ran)
	assert.True(t, l.Cancel(2))
	assert.False(t, l.Cancel(2))
	assert.Equal(t, []string{"backup"}, l.Due(now.Add(time.Hour)))
}

// TestClockJumps checks that a line runs once after a sleep, and soon enough after the clock was
// set back.
func TestClockJumps(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var l List
	_, _ = l.Every(now, "1m", "a")
	_, _ = l.Daily(now, "13:00", "b")
	assert.Equal(t, []string{"a", "b"}, l.Due(now.Add(72*time.Hour)))
	assert.Empty(t, l.Due(now.Add(72*time.Hour+time.Second)))
	assert.Empty(t, l.Due(now), "the clock was set back by three days")
	assert.Equal(t, []string{"a"}, l.Due(now.Add(time.Minute)))
	assert.Equal(t, []string{"b"}, l.Due(now.Add(time.Hour))[1:])
}

// TestSummerTime runs a task at 02:30 on the days when the clocks change: one day has no 02:30, the
// other has two.
func TestSummerTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, day := range []int{28, 29, 30} { // of March 2026
		var l List
		_, err := l.Daily(time.Date(2026, 3, day, 0, 0, 0, 0, berlin), "02:30", "x")
		require.NoError(t, err)
		runs := 0
		for m := range 23 * 60 {
			runs += len(l.Due(time.Date(2026, 3, day, 0, m, 0, 0, berlin)))
		}
		assert.Equal(t, 1, runs, day)
	}
	var l List
	_, _ = l.Daily(time.Date(2026, 10, 25, 0, 0, 0, 0, berlin), "02:30", "x")
	runs := 0
	for m, start := 0, time.Date(2026, 10, 25, 0, 0, 0, 0, berlin); m < 24*60; m++ {
		runs += len(l.Due(start.Add(time.Duration(m) * time.Minute)))
	}
	assert.Equal(t, 1, runs)
}

func TestRefusals(t *testing.T) {
	var l List
	now := time.Now()
	for _, interval := range []string{"", "x", "0s", "999ms", "-1h", "8761h", "4"} {
		_, err := l.Every(now, interval, "a")
		assert.ErrorContains(t, err, "between 1s and 8760h", interval)
	}
	for _, at := range []string{"", "4", "24:00", "12:60", "4 am", "04:00:00"} {
		_, err := l.Daily(now, at, "a")
		assert.ErrorContains(t, err, "between 00:00 and 23:59", at)
	}
	_, err := l.Every(now, "1h", " ")
	assert.ErrorContains(t, err, "missing")
	for i := range maxTasks {
		_, err := l.Every(now, "1h", fmt.Sprint("a", i))
		require.NoError(t, err)
	}
	_, err = l.Every(now, "1h", "a")
	assert.ErrorContains(t, err, "at most 64")
}
