package reference

import "github.com/torc-engine/torc/script/vm"

// callbacks are the callbacks of GameConnection. The engine calls them by engine.Scripts.
var callbacks = []struct {
	call  string
	realm vm.Realm
	doc   string
}{
	{"onConnectRequest(client: Client, address: string, ...: string) -> string?", vm.Server, "Runs for each connect request. Return a reason to refuse, nothing to accept. The first reason of any mod counts. client:defer answers later."},
	{"onConnect(client: Client, ...: string)", vm.Server, "Runs when a client has connected."},
	{"onArrived(client: Client)", vm.Server, "Runs when a client whom another server has sent has left that server: from now on the player plays here. Until then its moves count for nothing, and nothing harms its control object: damage and a higher damageLevel have no effect on it."},
	{"onDrop(client: Client, reason: string)", vm.Server, "Runs when a client has disconnected."},
	{"onCommandsRefused(client: Client, count: integer)", vm.Server, "Runs when commands of a client were refused, because the client's commands use more than its share of the instructions. It runs at most once in 5 s."},
	{"onVoice(client: Client, channel: string) -> Client[]?", vm.Server, "Says who hears a client, while sv.voice is mod. The channel is \"proximity\", \"team\", \"all\" or \"mod\". It runs at most four times a second for each client that talks, and each channel. The first answer of any mod counts; nil leaves it to the other mods, and without an answer nobody hears the client. Clients that are not in the game are ignored."},
	{"onDataBlocksDone(client: Client, sequence: integer)", vm.Server, "Runs when the client has the datablocks of this transmission."},
	{"onGhostAlwaysObjectsReceived(client: Client)", vm.Server, "Runs when the client has every object that is always in scope."},
	{"onGhostAcked(client: Client, obj: Object?)", vm.Server, "Runs when the client has received the object."},
	{"onClientEnterGame(client: Client)", vm.Server, "Runs when the client's join is complete: give it a control object here. It runs again after a mission change, and also for bots."},
	{"onConnectionAccepted(server: Client)", vm.Client, "Runs when the server has accepted the connection."},
	{"onEnterGame(server: Client)", vm.Client, "Runs when the join is complete."},
	{"initialControlSet(server: Client)", vm.Client, "Runs when this client's first control object has arrived: server.controlObject."},
	{"onControlObjectChange(server: Client, obj: Object?)", vm.Client, "Runs when this client controls another object, also at the first one, after initialControlSet. Without a control object obj is nil."},
	{"onGhostAlwaysStarted(server: Client, count: integer)", vm.Client, "Runs in a join, when the server sends the objects that are always in scope: count objects."},
	{"onGhostAlwaysObjectReceived(server: Client, received: integer, total: integer)", vm.Client, "Runs in a join when one more of these objects has arrived. The count can skip numbers, and ends below total if the server holds objects back."},
	{"onGhostAlwaysArrived(server: Client)", vm.Client, "Runs in a join when all objects that are always in scope have arrived."},
	{"onFlash(server: Client, on: boolean)", vm.Client, "Runs when a tint of the screen begins or ends; see server.damageFlash and server.whiteOut."},
	{"setLagIcon(server: Client, on: boolean)", vm.Client, "Runs when the server has not answered for a second or more, and when it answers again."},
	{"onConnectionDropped(server: Client, reason: string)", vm.Client, "Runs when the connection has ended."},
	{"onConnectionTimedOut(server: Client)", vm.Client, "Runs when the server has sent nothing until the timeout."},
	{"onConnectFailed(address: string, reason: string)", vm.Client, "Runs when a connection attempt has failed."},
	{"onDataBlockObjectReceived(server: Client, index: integer, total: integer)", vm.Client, "Runs when a datablock has arrived."},
	{"onDataBlocksArrived(server: Client, sequence: integer)", vm.Client, "Runs when all datablocks of a transmission have arrived. The sequence is that of transmitDataBlocks."},
	{"onGhostAdded(server: Client, obj: Object)", vm.Client, "Runs when a ghost has arrived and is complete, after its onAdd."},
	{"onGhostRemoved(server: Client, obj: Object)", vm.Client, "Runs before a ghost is removed and before its onRemove."},
}

// Callbacks documents the callbacks of connections.
func Callbacks() vm.Lib {
	lib := vm.Lib{Name: "Callbacks of connections"}
	for _, c := range callbacks {
		lib.Funcs = append(lib.Funcs, vm.Func{Name: "function GameConnection." + c.call, Realm: c.realm, Doc: c.doc})
	}
	return lib
}
