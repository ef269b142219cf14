package script

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// onVoice is the callback for VoiceAudience.
const onVoice = "onVoice"

// VoiceAudience asks the mods who hears a client, in load order. The first answer that is not nil
// counts.
func (s *hooks) VoiceAudience(c *engine.Connection, channel string) (list []sim.ID) {
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(peerOf(c)))
	for _, m := range append([]*vm.Mod(nil), s.Runtime.Mods...) {
		fn := connectionCallback(m, onVoice)
		if fn == nil {
			continue
		}
		out, ok := s.dispatch.call(m, onVoice, fn, instanceOf(m).values.Object(c.ID()), lua.LString(channel))
		if !ok || len(out) == 0 || out[0] == lua.LNil {
			continue
		}
		list, err := clientList(out[0])
		if err != nil {
			s.Runtime.Fail(m, onVoice, err)
		}
		return list
	}
	return nil
}

// clientList converts a list of clients, or of their ids.
func clientList(v lua.LValue) ([]sim.ID, error) {
	t, ok := v.(*lua.LTable)
	if !ok {
		return nil, fmt.Errorf("GameConnection.onVoice must return a list of clients or nil, not a %s", v.Type())
	}
	list := make([]sim.ID, 0, t.Len())
	for i := 1; i <= t.Len(); i++ {
		one, err := bind.FromLua(t.RawGetInt(i))
		switch {
		case err == nil && one.Kind() == sim.KindObject:
			list = append(list, one.Object())
		case err == nil && one.Kind() == sim.KindNumber && one.Number() >= 0 && one.Number() < 1<<32:
			list = append(list, sim.ID(one.Number()))
		default:
			return nil, fmt.Errorf("GameConnection.onVoice must return a list of clients: element %d is a %s", i, t.RawGetInt(i).Type())
		}
	}
	return list, nil
}
