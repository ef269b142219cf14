package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/cmd/torc/internal/modpack"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/script/manifest"
)

// modPack writes a mod into one file.
func modPack(o *config.Mod, stdout io.Writer) error {
	mod, err := checkTarget(o)
	if err != nil {
		return err
	}
	m, err := manifest.Read(mod.name, mod.dir)
	if err != nil {
		return err
	}
	file := cmp.Or(o.Out, fmt.Sprintf("%s-%s.tar.gz", m.Name, m.Version))
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	p, err := modpack.Pack(f, mod.dir, mod.name)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file)
		return fmt.Errorf("mod %s: %w", mod.name, err)
	}
	fmt.Fprintf(stdout, "%s: %s, %d files, %d bytes\nsha256=%s\n", file, m.Name+" "+m.Version.String(), p.Files, p.Bytes, p.SHA256)
	return nil
}

// fetchTime is how long one archive may take.
const fetchTime = 5 * time.Minute

// modInstall installs a mod, or what the lock file names.
func modInstall(o *config.Mod, stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	stock, _ := manifest.Discover(mods.FS()) // tests show that they are valid
	in := modpack.Installer{Folder: modsDir(o), Replace: o.Replace, Stock: manifest.Names(stock), ReplaceStock: o.ReplaceStock, Client: &http.Client{Timeout: fetchTime}}
	if o.Target == "" {
		done, err := in.Restore(ctx)
		for _, m := range done {
			printInstalled(stdout, in.Folder, m)
		}
		if err == nil && len(done) == 0 {
			fmt.Fprintf(stdout, "%s: everything is as %s says\n", in.Folder, modpack.LockFile)
		}
		return err
	}
	from, err := modpack.ParseSource(o.Target)
	if err != nil {
		return flags.Usagef("%v", err)
	}
	m, err := in.Install(ctx, from)
	if err != nil {
		return err
	}
	printInstalled(stdout, in.Folder, m)
	return nil
}

// modsDir is the folder that torc mod install and torc mod list work in.
func modsDir(o *config.Mod) string { return cmp.Or(o.ModsDir, "mods") }

// printInstalled says what an operator must know about a new mod.
func printInstalled(w io.Writer, folder string, m *manifest.Manifest) {
	fmt.Fprintf(w, "installed %s %s in %s\n", m.Name, m.Version, filepath.Join(folder, m.Name))
	for _, d := range m.Depends {
		fmt.Fprintf(w, "  it depends on %s\n", d.Text)
	}
	for _, p := range m.Permissions {
		if slices.Contains(manifest.ModPermissions, p) {
			fmt.Fprintf(w, "  it requests %s and has it when it is loaded; to take it away: mod.revoke %s %[1]s\n", p, m.Name)
		} else {
			fmt.Fprintf(w, "  it requests %s, which is not granted; to grant it: mod.grant %s %[1]s\n", p, m.Name)
		}
	}
}

// modList prints the mods of a folder and where they come from.
func modList(o *config.Mod, stdout io.Writer) error {
	list, err := modpack.List(modsDir(o))
	if err != nil {
		return err
	}
	if o.JSON {
		for _, e := range list {
			if err := json.NewEncoder(stdout).Encode(e); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, e := range list {
		columns := []string{e.Name, e.Version, e.State, e.Source, strings.Join(e.Permissions, " "), e.Error}
		for len(columns) > 3 && columns[len(columns)-1] == "" {
			columns = slices.Delete(columns, len(columns)-1, len(columns))
		}
		fmt.Fprintln(t, strings.Join(columns, "\t"))
	}
	return t.Flush()
}
