package lint

import (
	"net/netip"
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/vm"
)

// network reports a literal URL, host or port of the network without the permission for it. Tests
// can ask for what is refused.
func (c *checker) network(f *luaFile, name string, call *ast.FuncCallExpr, at position) {
	m := c.unit.manifest
	if m == nil || f.test {
		return
	}
	wanted := ""
	switch name {
	case "http.get", "http.post":
		if link, ok := text(call, 0); ok {
			if host, port, err := sockets.SplitURL(link); err == nil {
				wanted, _ = manifest.NetPermission(host, port)
			}
		}
	case "tcpConnect":
		host, named := text(call, 0)
		if port, ok := wholeNumber(call, 1); named && ok {
			wanted, _ = manifest.NetPermission(host, port)
		}
	case "tcpListen":
		port, ok := wholeNumber(call, 0)
		at := func(p string) bool { _, ok := manifest.ListenAddress(p, port); return ok }
		if ok && !slices.ContainsFunc(m.Permissions, at) {
			wanted = manifest.ListenPermission(netip.Addr{}, port)
		}
	}
	c.wants(f, wanted, at)
}

// transfers reports a literal server to which a mod may not send players.
func (c *checker) transfers(f *luaFile, call *ast.FuncCallExpr, at position) {
	if server, ok := text(call, 0); ok && c.unit.manifest != nil && !f.test {
		c.wants(f, manifest.TransferOf(server), at)
	}
}

// wants reports a permission that mod.toml does not request.
func (c *checker) wants(f *luaFile, wanted string, at position) {
	m := c.unit.manifest
	if manifest.ValidPermission(wanted) && !slices.Contains(m.Permissions, wanted) {
		c.report(f, at, rulePermission, "mod.toml must request this with permissions = [%q]", wanted)
	}
}

// wholeNumber returns argument i of a call, a literal integer.
func wholeNumber(e *ast.FuncCallExpr, i int) (int, bool) {
	literal, ok := arg(e, i).(*ast.NumberExpr)
	if !ok {
		return 0, false
	}
	n, ok := vm.ParseNumber(literal.Value)
	return int(n), ok && n == float64(int(n))
}
