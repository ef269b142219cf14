package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/modtrial"
	"github.com/torc-engine/torc/node/webclient"
)

// commonConfig translates the options that all nodes have. role decides the default data folder.
func (sys *system) commonConfig(o *config.Node, role string) (cfg node.Config, err error) {
	cfg = node.Config{Common: node.Common{Version: version, Name: o.Name, Password: o.Password, Data: o.Data, Files: os.DirFS("."), Seed: o.Seed}}
	if cfg.Data == "" {
		cfg.Data, err = config.DataFolder(role, sys.lookup)
		if err != nil && !(o.InMemory && errors.Is(err, config.ErrNoHome)) {
			return cfg, err
		}
	}
	if cfg.Mods, err = ownMods(&o.Folder); err != nil {
		return cfg, err
	}
	for _, v := range o.Vars {
		if o.Overridden(v.Name) != "" {
			continue
		}
		cfg.Vars = append(cfg.Vars, node.Var{Name: v.Name, Value: v.Value, From: o.At(v) + ": [vars]"})
	}
	cfg.Scripts, err = readScripts(o)
	return cfg, err
}

// serverConfig translates the options of a server.
func (sys *system) serverConfig(o *config.Server) (node.Config, error) {
	cfg, err := sys.commonConfig(&o.Node, "server")
	cfg.Server.Load, cfg.Server.Mission, cfg.Server.MaxClients, cfg.Strict = o.Mods, o.Mission, o.MaxClients, o.Strict
	cfg.Server.Trial = modtrial.For(cfg.Common)
	if o.Journal != "" {
		cfg.Server.Journal = &node.Journal{Folder: o.Journal}
	}
	if o.Bots != nil {
		cfg.Vars = append(cfg.Vars, node.Var{Name: "sv.bots", Value: strconv.Itoa(*o.Bots), From: "--bots:"})
	}
	if o.Public {
		cfg.Vars = append(cfg.Vars, node.Var{Name: "sv.public", Value: "true", From: "--public:"})
	}
	return cfg, err
}

// serveWeb translates the options of the client for browsers of serve; nil is none.
func serveWeb(o *config.Serve) *node.Web {
	if o.Web == "" {
		return nil
	}
	w := &node.Web{Listen: o.Web, Origins: o.WebOrigins, Proxies: o.WebProxies, Cert: o.TLSCert, Key: o.TLSKey, Domain: o.TLSDomain, Pages: []fs.FS{www.FS}, Build: webclient.Files}
	if w.NoRTC = slices.Contains(o.WebRTC, config.NoRTC); !w.NoRTC {
		w.Public = o.WebRTC
	}
	switch {
	case o.Web == flags.On && o.TLSDomain != "":
		w.Listen = config.SecureWeb
	case o.Web == flags.On:
		w.Listen = ""
	}
	return w
}

// playWeb translates the options of the client for browsers of play; nil is none.
func playWeb(o *config.Play) *node.Web {
	if o.Web == "" {
		return nil
	}
	w := &node.Web{Listen: o.Web, Local: true, Pages: []fs.FS{www.FS}, Build: webclient.Files}
	if o.Web == flags.On || o.Web == config.PlayWeb {
		w.Listen, w.OtherPort = config.PlayWeb, true
	}
	return w
}

// clientConfig translates the options of a client.
func (sys *system) clientConfig(o *config.Client) (node.Config, error) {
	cfg, err := sys.commonConfig(&o.Node, "client")
	if err != nil {
		return cfg, err
	}
	cfg.Client.Address, cfg.Client.Args, cfg.Client.Timeout, cfg.Client.Wander = o.Address, o.Args, o.Timeout, o.Bot == "wander"
	cfg.Client.Language = o.Language
	if o.AcceptKey == "" {
		return cfg, nil
	}
	key, err := seal.ParseKey(o.AcceptKey)
	if err != nil {
		return cfg, flags.Usagef("--accept-key: %v", err)
	}
	cfg.Client.AcceptKey = &key
	return cfg, nil
}

// readScripts reads the files of --exec.
func readScripts(o *config.Node) (scripts []node.Script, err error) {
	for _, given := range o.Scripts {
		s := node.Script{Name: given.File, Code: given.Code}
		if given.File != "" {
			text, err := os.ReadFile(given.File)
			if err != nil {
				return nil, flags.Usagef("--exec cannot be read: %v", err)
			}
			s.Code = string(text)
		}
		scripts = append(scripts, s)
	}
	return scripts, nil
}

// ownMods opens the folder of --mods.
func ownMods(o *config.Folder) ([]fs.FS, error) {
	if o.ModsDir == "" {
		return nil, nil
	}
	if hasManifest(o.ModsDir) {
		return nil, flags.Usagef("--mods %s is a mod itself; name its parent folder: --mods %s", o.ModsDir, filepath.Join(o.ModsDir, ".."))
	}
	folder, err := openMods(o.ModsDir, o.ModsDir)
	if err != nil {
		return nil, flags.Usagef("--mods cannot be opened: %v", err)
	}
	return []fs.FS{folder}, nil
}

// modFolders are the mods that come with torc, then those of --mods.
func modFolders(o *config.Folder) ([]fs.FS, error) {
	own, err := ownMods(o)
	return append([]fs.FS{mods.FS()}, own...), err
}

// explain names the flag in an error of a node, where the user can mend it.
func explain(o *config.Folder, err error) error {
	var c *node.ConfigError
	if !errors.As(err, &c) {
		return err
	}
	text := c.Err.Error()
	switch c.Field {
	case "Load":
		text = "--mod " + c.Value + ": " + text
		if o.ModsDir == "" {
			text += "; --mods DIR adds a folder of your own"
		}
	case "Vars":
		text = c.Value + " " + text
	case "Metrics":
		text = "--metrics " + c.Value + ": " + text
	case "Journal":
		text = "--journal " + c.Value + ": " + text
	case "Web":
		text = "--web " + c.Value + ": " + text
	case "SSH":
		text = "--ssh " + c.Value + ": " + text
	case "AcceptKey":
		text = "--accept-key: " + text
	case "Address":
		text = c.Value + ": " + text
	}
	return flags.Usagef("%s", text)
}
