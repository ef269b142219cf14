package core

import (
	"io"
	"log/slog"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/audit"
	"github.com/torc-engine/torc/node/internal/bans"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/keys"
	"github.com/torc-engine/torc/node/internal/rights"
)

// Home is the persistent state of a node: in its data folder, or in memory for this run only.
type Home struct {
	folder *data.Folder // nil: everything is in memory
	known  keys.Known   // servers, when there is no folder
}

// FolderInUse is the error for the data folder of a running server.
type FolderInUse = data.InUse

// OpenHome opens the data folder at path. exclusive also locks it.
func OpenHome(path string, exclusive bool, log *slog.Logger) (*Home, error) {
	if path == "" {
		return &Home{}, nil
	}
	folder, err := data.Open(path, exclusive)
	if err != nil {
		return nil, err
	}
	if folder.Exposed() {
		log.Warn("other users can write to the data folder and act as the operator: run chmod go-w on it", "folder", folder.Path(""))
	}
	return &Home{folder: folder}, nil
}

// HasFolder reports whether there is a data folder.
func (h *Home) HasFolder() bool { return h.folder != nil }

// Close closes the data folder.
func (h *Home) Close() error {
	if h == nil || h.folder == nil {
		return nil
	}
	return h.folder.Close()
}

// Path is the path of a file in the folder; "" if there is no folder.
func (h *Home) Path(name string) string {
	if h.folder == nil {
		return ""
	}
	return h.folder.Path(name)
}

// Identity returns the identity in the folder, or a new one.
func (h *Home) Identity(entropy io.Reader) (seal.KeyPair, error) {
	if h.folder == nil {
		return seal.NewIdentity(entropy)
	}
	return keys.Identity(h.Path("identity"), entropy)
}

// ClientIdentity returns the identity of a client. If another client uses the folder, it is a
// temporary one: two connections with one key would replace each other.
func (h *Home) ClientIdentity(entropy io.Reader, log *slog.Logger) (seal.KeyPair, error) {
	if h.folder == nil {
		return h.Identity(entropy)
	}
	mine, err := h.folder.LockIdentity()
	if err != nil {
		return seal.KeyPair{}, err
	}
	if !mine {
		log.Warn("another client uses the data folder: this one takes a temporary key", "folder", h.folder.Path(""))
		return seal.NewIdentity(entropy)
	}
	return h.Identity(entropy)
}

// Trust returns a function that decides on the keys of servers by the known servers.
func (h *Home) Trust(log *slog.Logger) func(address string, key seal.Key) error {
	met := func(address string, key seal.Key) {
		log.Info("trusting a new server", "address", address, "fingerprint", key.Fingerprint())
	}
	known := h.known.Trust(met)
	if h.folder != nil {
		known = keys.Trust(h.Path("known_servers"), met)
	}
	return func(address string, key seal.Key) error { return known(netcore.WithPort(address), key) }
}

// Accept makes key the known key of a server.
func (h *Home) Accept(hostport string, key seal.Key) error {
	known, path := &h.known, h.Path("known_servers")
	if h.folder != nil {
		var err error
		if known, err = keys.Load(path); err != nil {
			return err
		}
	}
	if err := known.Accept(hostport, key); err != nil {
		return &ConfigError{"AcceptKey", key.String(), err}
	}
	if h.folder == nil {
		return nil
	}
	return known.Save(path)
}

// Differs returns the error of a key that is not the known one of a server. One that is not known
// has none.
func (h *Home) Differs(hostport string, key seal.Key) error {
	known := &h.known
	if h.folder != nil {
		var err error
		if known, err = keys.Load(h.Path("known_servers")); err != nil {
			return err
		}
	}
	return known.Differs(hostport, key)
}

// AcceptAt makes key the known key of the server at an address, and returns the address to use. The
// page of a link has yet to say where the server is: so the link itself gets the key, unless it
// names one.
func (h *Home) AcceptAt(address string, key seal.Key) (string, error) {
	link, isLink, err := engine.ParseLink(address)
	switch {
	case err != nil:
		return address, err
	case !isLink:
		return address, h.Accept(HostPort(address), key)
	case link.Key == nil:
		address += "#" + key.String()
	}
	return address, nil
}

// Passed returns the file of the keys that gave the password; nil without a folder.
func (h *Home) Passed() (*keys.Passed, error) {
	if h.folder == nil {
		return nil, nil
	}
	return keys.OpenPassed(h.Path("passed"))
}

// List returns a list of players, from the file name.
func (h *Home) List(name string, editor data.Editor) (*bans.List, error) {
	if h.folder == nil {
		return new(bans.List), nil
	}
	return bans.Open(h.Path(name), editor)
}

// Rights returns the roles of players.
func (h *Home) Rights(editor data.Editor) (*rights.List, error) {
	if h.folder == nil {
		return new(rights.List), nil
	}
	return rights.Open(h.Path("rights"), editor)
}

// Audit returns the audit log, which tells the log when it cannot be written.
func (h *Home) Audit(now func() time.Time, log *slog.Logger) (*audit.Log, error) {
	if h.folder == nil {
		return audit.New(now), nil
	}
	return audit.Open(h.Path("audit.log"), now, func(err error) { log.Error(err.Error()) })
}
