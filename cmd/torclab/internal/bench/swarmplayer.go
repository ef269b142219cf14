package bench

import (
	"crypto/rand"
	"errors"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/bots"
)

// playHearing is the share of players that decode their ghosts: one in this many. The others are
// deaf. They acknowledge their packets unread, and make recorded moves.
const playHearing = 16

const (
	fightBots = 16          // bots of the recorded fight
	fightMore = 300         // most ticks until the first of them has a body
	lifeMost  = 400         // ticks of a life. Longer ones would take the players out of the fight
	turnMost  = 1 << 16 / 8 // greatest difference of the directions of two players with the same moves
	turnStep  = 40503       // 65,536 by the golden ratio: spreads the numbers of players evenly
)

// fight is what all players of a process have in common.
type fight struct {
	classes *sim.Classes
	lives   [][]sim.Move // moves of bots, from the spawn to the death
}

// newFight records a fight of bots on the map of the match, for a number of ticks.
func newFight(ticks int) (*fight, error) {
	classes, err := matchClasses()
	if err != nil {
		return nil, err
	}
	a, err := newScenario(fightBots, nil)
	if err != nil {
		return nil, err
	}
	for range fightBots {
		if _, err := a.host.AddBot("bench"); err != nil {
			return nil, err
		}
	}
	f := &fight{classes: classes}
	var bodies [fightBots]sim.Object
	var lives [fightBots][]sim.Move
	for n := 0; n < ticks || len(f.lives) == 0; n++ {
		if n > ticks+fightMore {
			return nil, errors.New("no bot got a body: " + a.fault)
		}
		a.next += tickTime
		a.host.Tick(a.next)
		for i, c := range a.host.Connections() {
			body, is := c.Control.Object().(*game.Player)
			if alive := is && !body.IsDestroyed(); !alive || body != bodies[i] || n == ticks-1 {
				f.keep(lives[i])
				lives[i], bodies[i] = nil, nil
				if !alive {
					continue
				}
			}
			from := body.Place()
			from.Position = body.EyePoint()
			bodies[i], lives[i] = body, append(lives[i], c.Pilot.Move(from).Clamped())
		}
	}
	return f, nil
}

// keep keeps the moves of a life, up to lifeMost. Those of one tick are of a bot without orders
// yet.
func (f *fight) keep(moves []sim.Move) {
	if len(moves) > 1 {
		f.lives = append(f.lives, moves[:min(len(moves), lifeMost)])
	}
}

// matchClasses returns the classes of both sides of a match.
func matchClasses() (*sim.Classes, error) {
	classes := sim.NewClasses()
	return classes, errors.Join(engine.Register(classes), game.Register(classes))
}

// player is what a client of a match has besides. A deaf one makes the moves of a bot's life with
// each of its bodies, turned by its number.
type player struct {
	*fight
	number int
	wander *bots.Wander // of one that decodes its ghosts
	moves  *move.Stream // of a deaf one
	body   uint32       // the name of its ghost; 0: none
	lived  int          // lives begun with any body
	back   bool         // it is on its way back
	alone  bool         // it has deleted its ghosts
	life   []sim.Move   // the moves left
	yaw    int16        // sum of the moves of the body
	pitch  int16
}

// newPlayer returns an unconnected player.
func (f *fight) newPlayer(n int, deaf bool, resolve engine.Resolver) (*simClient, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	e := &simClient{deaf: deaf, player: &player{fight: f, number: n}}
	if !deaf {
		e.player.wander = bots.NewWander(uint64(n))
	}
	e.open(engine.Config{Classes: f.classes, Identity: id, Resolve: resolve, Seed: uint64(n), NoInterpolation: deaf})
	return e, nil
}

// Command answers the questions of a join, as the client side of base does.
func (e *simClient) Command(c *engine.Connection, name string, args []sim.Value) bool {
	if strings.HasPrefix(name, "MissionStartPhase") && len(args) > 0 {
		if err := c.Commands.Send(engine.CommandOptions{}, sim.String(name+"Ack"), args[:1]); err != nil {
			e.over = err.Error()
		}
	}
	return true
}

// newMoves returns the move stream of a deaf player. The name of a ghost serves as its token.
func (p *player) newMoves() *move.Stream {
	p.moves = move.New(move.Config{
		SendsMoves: true, OnAnswer: p.answered,
		TokenOf: func(name uint32) uint32 { return name },
	})
	return p.moves
}

// answered begins a life when the player has got another body.
func (p *player) answered() error {
	a, _ := p.moves.Answer()
	p.moves.Forget(a.Ack)
	if a.State && a.Object != p.body {
		p.body, p.back = a.Object, false
		p.yaw, p.pitch = 0, 0
		p.life = nil
	}
	return nil
}

// next returns the next move. A player goes out from its spawn with the moves of one life, back
// with those of another, and out again. So it stays in the fight.
func (p *player) next() (m sim.Move) {
	if len(p.life) == 0 {
		p.life = p.lives[(p.number+p.lived)%len(p.lives)]
		p.lived++
		heading := p.number*turnStep%turnMost - turnMost/2
		if p.back {
			heading += 1 << 15
		}
		p.back = !p.back
		m.Yaw, m.Pitch = int16(heading)-p.yaw, -p.pitch
		p.yaw, p.pitch = int16(heading), 0
		return m
	}
	m, p.life = p.life[0], p.life[1:]
	p.yaw, p.pitch = p.yaw+m.Yaw, p.pitch+m.Pitch
	return m
}

// steer makes the move of a tick.
func (e *simClient) steer() {
	switch p := e.player; {
	case !e.deaf:
		p.wander.Tick(e.host)
	case e.joined && p.body != 0 && !p.moves.Full():
		p.moves.Push(move.Move(p.next()), 0)
	}
}
