package script_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/script/reference"
)

// contract lists the names that mods can rely on, in the order of the contract.
const contract = `
echo print warn logError error
tag addTaggedString removeTaggedString getTaggedString buildTaggedString detag isTag
commandToServer commandToClient commandToAll commandToWatchers commandToServer.with commandToClient.with commandToAll.with
serverCmd.NAME clientCmd.NAME allowCommand
datablock Handle.onAdd ShapeBase.onDamage
GameConnection.transmitDataBlocks transmitDataBlocks
class int float bool ref point str Handle.onRemove Handle.onTick Handle.inScope
new SimObject.delete find isObject
objects SimObject.className SimObject.id SimObject.name Player.dataBlock SceneObject.position SceneObject.rotation SceneObject.velocity
SimObject.own
vec vec.length vec.dot vec.cross vec.normalized vec.x vec.y vec.z rot rot.yaw rot.pitch rot.roll
SimSet.add SimSet.remove SimSet.contains SimSet.clear SimSet.random SimSet.each rootGroup clientGroup missionGroup dataBlockGroup
GameConnection.setControlObject GameConnection.controlObject GameConnection.setScopeObject
SimObject.scopeToClient SimObject.clearScopeToClient SimObject.setScopeAlways SimObject.clearScopeAlways
GameConnection.activateGhosting GameConnection.resetGhosting
GameConnection.setRate GameConnection.ping GameConnection.packetLoss GameConnection.name GameConnection.address
GameConnection.key GameConnection.phase GameConnection.disconnect
connect disconnect server GameConnection.each
setSimulatedNetParams
GameConnection.onConnectRequest GameConnection.onConnect GameConnection.onArrived GameConnection.onDrop GameConnection.onDataBlocksDone
GameConnection.onGhostAlwaysObjectsReceived GameConnection.onGhostAcked
GameConnection.onConnectionAccepted GameConnection.onConnectionDropped GameConnection.onConnectionTimedOut
GameConnection.onControlObjectChange GameConnection.onGhostAlwaysStarted GameConnection.onGhostAlwaysObjectReceived
Handle.onNewDataBlock GameConnection.onFlash GameConnection.setLagIcon GameConnection.setDamageFlash GameConnection.setWhiteOut
GameConnection.setFirstPerson GameConnection.setControlCameraFov GameConnection.firstPerson GameConnection.controlCameraFov
GameConnection.damageFlash GameConnection.whiteOut cancelAll
GameConnection.initialControlSet GameConnection.onDataBlockObjectReceived GameConnection.onGhostAdded GameConnection.onGhostRemoved
onTick now tick
schedule SimObject.schedule cancel isEventPending
override export import
addCommand setting Setting.value
onChat
loadMission onMissionLoaded onMissionEnd
exec require eval
store Store.get Store.put Store.delete Store.each
`

func TestReferenceHasTheWholeContract(t *testing.T) {
	r := newHalf(t, 1, true).scripts.Reference()
	have := map[string]bool{}
	r.Entries(func(e *reference.Symbol) bool {
		name := e.Name
		if e.Of != "" {
			name = e.Of + "." + e.Name
		}
		assert.False(t, have[name] && e.Kind == reference.KindField, "%s is there twice", name)
		have[name] = true
		return true
	})
	for _, name := range strings.Fields(contract) {
		assert.True(t, have[name], "%s is not in the reference", name)
	}
	for _, notation := range []string{`new "Class"`, `datablock "Class" "Name"`, `class "Name"`, `setting "name"`, "#group"} {
		assert.Contains(t, r.Markdown(), "| `"+notation)
	}
	var commands []string
	for _, c := range r.Commands {
		commands = append(commands, c.Name)
	}
	assert.Contains(t, commands, "mission")
}

// TestEveryEventIsInTheReference checks that each event of the game is described with its class.
func TestEveryEventIsInTheReference(t *testing.T) {
	described := map[string]bool{}
	newHalf(t, 1, true).scripts.Reference().Entries(func(e *reference.Symbol) bool {
		described[e.Name] = described[e.Name] || e.Kind == reference.KindCallback
		return true
	})
	files, err := filepath.Glob("../game/*.go")
	require.NoError(t, err)
	found := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			if fn, ok := call.Fun.(*ast.SelectorExpr); !ok || fn.Sel.Name != "Emit" {
				return true
			}
			literal, ok := call.Args[1].(*ast.BasicLit)
			if ok && !strings.HasSuffix(name, "_test.go") {
				event, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				assert.True(t, described[event], "%s: %s is in no Events", name, event)
				found++
			}
			return true
		})
	}
	assert.Greater(t, found, 12)
}

func TestHelpFindsMembersByTheirNames(t *testing.T) {
	s := newHalf(t, 1, true).scripts
	assert.Contains(t, s.Help("schedule"), "obj:schedule(ms: number, method: string, ...: any) -> integer")
	assert.Contains(t, s.Help("onDamage"), "function ShapeBase:onDamage(amount: number, source: Object?, type: string) (server): ")
	assert.Contains(t, s.Help("ping"), "client.ping: number")
}

// TestHelpExplainsDescribedClasses: help knows the fields of a class that the program lacks, and that
// a server or a recording has described.
func TestHelpExplainsDescribedClasses(t *testing.T) {
	lantern := func(classes *sim.Classes) {
		power := 0
		require.NoError(t, classes.Register(sim.Class{
			Name: "Lantern", Parent: "Marker", New: func() sim.Object { return new(game.Marker) },
			Fields: []sim.Field{sim.IntField("power", 3, 0, 9, func(*game.Marker) *int { return &power })},
		}))
	}
	h := newHalf(t, 1, false)
	require.Empty(t, h.scripts.Help("Lantern"))
	require.NoError(t, h.host.World().Classes().TakeList(newHalfOf(t, 2, true, lantern).host.World().Classes().PackList()))
	assert.Contains(t, h.scripts.Help("Lantern"), "Lantern (a class, inherits Marker).\n  Lantern .power\n  SceneObject .position")
	assert.Contains(t, h.scripts.Help("Lantern.power"), "Lantern.power: ")
}

// TestHelpExplainsEveryName checks the globals of a state, the members of their tables, and every
// name that Tab offers for help.
func TestHelpExplainsEveryName(t *testing.T) {
	h := newHalf(t, 1, true).load()
	require.Empty(t, h.line(`Banner = class "Banner" { inherit = "Item", fields = { height = float(0, 9) } }`))
	for _, name := range []string{"Banner", "Banner.height", "Banner:delete", "Player.onImpact", "GameConnection.onDrop", "client:hasRole", "obj.id"} {
		assert.NotEmpty(t, h.scripts.Help(name), name)
	}
	assert.Contains(t, h.scripts.Help("Banner"), "\n  Banner .height\n  Item .")
	names := strings.Fields(strings.Trim(h.line(`(function()
		local all = {}
		for name, v in pairs(_G) do
			if name ~= "Banner" then all[#all + 1] = name end
			if type(v) == "table" and v ~= _G then for k in pairs(v) do all[#all + 1] = name .. "." .. tostring(k) end end
		end
		return table.concat(all, " ")
	end)()`), `"`))
	for _, lib := range h.scripts.Runtime.List() {
		for _, f := range lib.Funcs {
			if f.Fn != nil {
				names = append(names, f.Name)
			}
		}
	}
	names = append(names, h.completions("help ")...)
	assert.Greater(t, len(names), 1500)
	console := map[string]bool{}
	for _, name := range h.console.Names() {
		console[name] = true
	}
	model := h.scripts.Reference()
	for _, name := range names {
		assert.True(t, console[name] || model.Help(name) != "" || h.scripts.Help(name) != "", name)
	}
}

func (h *half) completions(line string) []string {
	got, _ := h.console.Complete(line, len(line))
	return got
}
