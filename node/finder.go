//go:build !js

package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/serverlist"
)

const (
	maxFavourites  = 500
	favouritesFile = "favourites"
)

// finder is the part of a client that finds servers: on the local network, and in lists.
type finder struct {
	core.Passive
	core       *core.Core
	lists      string      // URLs, separated by spaces
	favourites []favourite // without a data folder
}

// favourite is a server that the player has marked.
type favourite struct {
	key  seal.Key
	name string // can be empty
}

// finder returns the service of a client.
func (c *Client) finder() core.Service { return &finder{core: c.core} }

// Variables is lists.
func (f *finder) Variables() []console.Var {
	lists := console.Func(func() string { return f.lists }, func(text string) error {
		for _, list := range strings.Fields(text) {
			if _, err := listURL(list); err != nil {
				return err
			}
		}
		if len(strings.Fields(text)) > maxLists {
			return errManyLists
		}
		f.lists = text
		return nil
	})
	return []console.Var{{Name: "lists", Help: "the public lists that servers --list asks: URLs, separated by spaces", Value: lists}}
}

// Commands are servers, favourite and unfavourite.
func (f *finder) Commands() []console.Command {
	return []console.Command{
		{
			Name: "servers", Params: "[--list [URL…]]", Help: "lists the servers on the local network, or those of public lists (lists), for connect",
			Run: f.servers,
		},
		{Name: "favourite", Params: "[KEY [NAME]]", Help: "marks a server, which then comes first in lists; alone it prints the marked ones", Run: f.mark},
		{Name: "unfavourite", Params: "KEY", Help: "no longer marks a server", Run: f.unmark},
	}
}

// servers prints servers when they have answered.
func (f *finder) servers(args []string) (string, error) {
	if len(args) == 0 {
		go f.find()
		return "", nil
	}
	lists := args[1:]
	if len(lists) == 0 {
		lists = strings.Fields(f.lists)
	}
	switch {
	case args[0] != "--list":
		return "", errors.New("usage: servers [--list [URL…]]")
	case len(lists) == 0:
		return "", errors.New("there is no list: use servers --list URL, or set lists")
	}
	all, err := f.all()
	if err != nil {
		return "", err
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), listTime)
		defer cancel()
		text, err := listed(ctx, lists, func(k seal.Key) bool { return slices.ContainsFunc(all, func(f favourite) bool { return f.key == k }) })
		if err != nil {
			text = strings.TrimPrefix(text+"\nerror: "+err.Error(), "\n")
		}
		f.core.Post(func() { f.core.Print(text) })
	}()
	return "", nil
}

// find prints the servers of the local network.
func (f *finder) find() {
	ctx, cancel := context.WithTimeout(context.Background(), findTime)
	defer cancel()
	found, err := Find(ctx)
	text := ""
	switch {
	case err != nil:
		text = "error: " + err.Error()
	case len(found) == 0:
		text = "error: " + ErrNoServers.Error()
	default:
		text = ServerTable(found)
	}
	f.core.Post(func() { f.core.Print(text) })
}

// all returns the favourites, those of the data folder if there is one. Wrong lines are skipped. A
// file with more than torc keeps is an error: the next change would lose the rest.
func (f *finder) all() ([]favourite, error) {
	path := f.core.Home.Path(favouritesFile)
	if path == "" {
		return f.favourites, nil
	}
	text, err := data.Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []favourite
	for line := range strings.Lines(string(text)) {
		key, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if k, err := seal.ParseKey(key); err == nil {
			all = append(all, favourite{k, name})
		}
	}
	if len(all) > maxFavourites {
		return nil, fmt.Errorf("%s has %d servers: must be at most %d", path, len(all), maxFavourites)
	}
	return all, nil
}

// save keeps the favourites.
func (f *finder) save(all []favourite) error {
	path := f.core.Home.Path(favouritesFile)
	if path == "" {
		f.favourites = all
		return nil
	}
	return data.Save(path, favouriteLines(all))
}

// favouriteLines is the text of the file.
func favouriteLines(all []favourite) string {
	var b strings.Builder
	for _, one := range all {
		b.WriteString(strings.TrimSpace(one.key.String()+" "+one.name) + "\n")
	}
	return b.String()
}

// mark marks a server.
func (f *finder) mark(args []string) (string, error) {
	all, err := f.all()
	if err != nil || len(args) == 0 {
		return strings.TrimSuffix(favouriteLines(all), "\n"), err
	}
	key, err := seal.ParseKey(args[0])
	if err != nil {
		return "", err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(f favourite) bool { return f.key == key })
	if len(all) >= maxFavourites {
		return "", fmt.Errorf("there can be %d favourites", maxFavourites)
	}
	return "", f.save(append(all, favourite{key, console.Clean(strings.Join(args[1:], " "))}))
}

// unmark no longer marks a server.
func (f *finder) unmark(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: unfavourite KEY")
	}
	key, err := seal.ParseKey(args[0])
	if err != nil {
		return "", err
	}
	all, err := f.all()
	if err != nil {
		return "", err
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(f favourite) bool { return f.key == key })
	if len(rest) == len(all) {
		return "", fmt.Errorf("%s is no favourite", args[0])
	}
	return "", f.save(rest)
}

// Listed returns the servers of public lists as a table, each key once. The error names the lists
// that do not answer; the table then has the servers of the others.
func Listed(ctx context.Context, lists []string) (string, error) { return listed(ctx, lists, nil) }

func listed(ctx context.Context, lists []string, marked func(seal.Key) bool) (string, error) {
	all, err := readLists(ctx, lists)
	if len(all) == 0 && err != nil {
		return "", err
	}
	return serverlist.Table(all, marked), err
}
