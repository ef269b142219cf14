package bench

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// figure returns a figure of a row.
func (r Row) figure(t *testing.T, name string) float64 {
	for _, f := range r {
		switch v := f.Value.(type) {
		case float64:
			if f.Name == name {
				return v
			}
		case int:
			if f.Name == name {
				return float64(v)
			}
		}
	}
	require.Fail(t, "no figure "+name)
	return 0
}

// onFootMost is the number of players that onFoot can have.
const onFootMost = 12

// chased are the tracks of bots that players on foot chase.
var chased = sync.OnceValues(func() ([]pathRecord, error) { return record(onFootMost, testenv.Length(12*time.Second, time.Minute)) })

// onFoot runs players on foot who chase recorded bots for a minute.
func onFoot(t *testing.T, mode lagMode, links ...lagLink) (rows []Row) {
	tracks, err := chased()
	require.NoError(t, err)
	var clients []lagClient
	for i, l := range links {
		clients = append(clients, lagClient{name: mode.name, link: l, moves: tracks[i].moves})
	}
	require.NoError(t, lagMatch(mode, clients, testenv.Length(12*time.Second, time.Minute), func(r Row) { rows = append(rows, r) }))
	require.Len(t, rows, len(links))
	return rows
}

var usualLink = lagLink{100 * time.Millisecond, 0.02}

// TestOwnViewOverEveryLink checks that players see their own actions in the same tick. On a usual
// link, they see less than one correction per minute without an external cause.
func TestOwnViewOverEveryLink(t *testing.T) {
	t.Parallel()
	links := []lagLink{{0, 0}, usualLink, usualLink, usualLink, {300 * time.Millisecond, 0.2}}
	for _, mode := range testenv.Every(2, lagModes[:3]) {
		for i, r := range onFoot(t, mode, links...) {
			assert.Equal(t, 1., r.figure(t, "view_ticks"), "%s, %v", mode.name, links[i])
			assert.Zero(t, r.figure(t, "halts_min"), "%s, %v", mode.name, links[i])
			if links[i].loss < 0.05 {
				assert.Less(t, r.figure(t, "seen_min"), 1., "%s, %v", mode.name, links[i])
				assert.Zero(t, r.figure(t, "null_min"), "%s, %v", mode.name, links[i])
			}
		}
	}
}

// TestModemPlayers checks that players with 2,000 bytes/s get all the data that they need.
func TestModemPlayers(t *testing.T) {
	t.Parallel()
	links := make([]lagLink, onFootMost)
	for i := range links {
		links[i] = usualLink
	}
	modem := lagModes[3]
	require.Equal(t, "modem", modem.profile)
	corrected := 0.
	for _, r := range onFoot(t, modem, links...) {
		corrected += r.figure(t, "corrected_min")
		assert.Equal(t, 1., r.figure(t, "view_ticks"))
		assert.LessOrEqual(t, r.figure(t, "seen_min"), 1.)
		assert.GreaterOrEqual(t, r.figure(t, "others_2hz"), 8.)
		assert.LessOrEqual(t, r.figure(t, "bytes_s"), 2000.)
	}
	assert.LessOrEqual(t, corrected/float64(len(links)), 10., "of one player, though others blast him about")
}

// TestDrivers checks that drivers on a usual link see no corrections.
func TestDrivers(t *testing.T) {
	t.Parallel()
	var rows []Row
	require.NoError(t, lagMatch(lagModes[0], driverClients(), testenv.Length(12*time.Second, time.Minute), func(r Row) { rows = append(rows, r) }))
	for i, r := range rows {
		assert.Equal(t, 1., r.figure(t, "view_ticks"))
		if driveLinks[i%len(driveLinks)].loss < 0.05 {
			assert.LessOrEqual(t, r.figure(t, "corrected_min"), 1., "%v", r)
			assert.Zero(t, r.figure(t, "seen_min"), "%v", r)
		}
	}
}

// TestWarpsAreCounted checks that the view counts warps.
func TestWarpsAreCounted(t *testing.T) {
	m, err := newMatch()
	require.NoError(t, err)
	p, err := m.join(10, usualLink.line(), lagModes[0])
	require.NoError(t, err)
	require.NoError(t, m.until("he plays", func() bool { return m.plays(p) }))
	m.measure(2 * time.Second)
	require.Zero(t, p.counts.corrections-p.begun.corrections)
	require.NoError(t, m.say(`for client in clientGroup:each() do client.controlObject:applyImpulse(vec(0, 0, 0), vec(700, 0, 0)) end`))
	forces := p.force.count
	for range 40 {
		m.tick()
	}
	assert.Equal(t, forces+1, p.force.count, "an impulse is an outside force")
	assert.Positive(t, p.counts.corrections)
	assert.Equal(t, p.counts.visible, p.counts.forced)
	assert.Positive(t, p.view.warp)

	m.measure(time.Second)
	require.Equal(t, 1, p.view.latency)
	p.view.asked += 100
	for range 3 {
		m.tick()
	}
	assert.Equal(t, 3, p.view.latency, "what was asked for is not shown")
	assert.NoError(t, m.fault())
}
