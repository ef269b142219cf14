package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/node"
)

// findTime is how long torc find waits for answers.
const findTime = 1500 * time.Millisecond

// listTime is how long it waits for lists.
const listTime = 10 * time.Second

// find lists the servers on the local network, or those of lists.
func find(o *config.Find, stdout io.Writer) error {
	if len(o.Lists) > 0 {
		return findListed(o.Lists, stdout)
	}
	ctx, cancel := context.WithTimeout(context.Background(), findTime)
	defer cancel()
	found, err := node.Find(ctx)
	if err == nil && len(found) == 0 {
		err = node.ErrNoServers
	}
	if err != nil {
		return failure{unconnected, err}
	}
	_, err = fmt.Fprintln(stdout, node.ServerTable(found))
	return err
}

// findListed lists the servers of public lists, as far as these answer.
func findListed(lists []string, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	table, err := node.Listed(ctx, lists)
	if table != "" {
		if _, err := fmt.Fprintln(stdout, table); err != nil {
			return err
		}
	}
	if err != nil {
		return failure{unconnected, err}
	}
	return nil
}

// ask shows what a server tells everybody.
func ask(o *config.Query, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), o.Timeout)
	defer cancel()
	address, _, _ := strings.Cut(o.Address, "#")
	found, err := node.Query(ctx, o.Address)
	if err != nil {
		return failure{unconnected, fmt.Errorf("query %s: %w", address, err)}
	}
	_, err = io.WriteString(stdout, describe(found))
	return err
}

// describe returns a line for each thing that a server tells.
func describe(f query.Found) string {
	i := f.Info
	password, state := "no", "ready"
	if i.Password {
		password = "yes"
	}
	if i.Draining {
		state = "draining"
	}
	lines := []string{
		"name " + console.Clean(i.Name),
		"mission " + cmp.Or(console.Clean(i.Mission), "-"),
		fmt.Sprintf("players %d of %d", i.Players+i.Bots, i.MaxPlayers),
		fmt.Sprintf("bots %d", i.Bots),
		"password " + password,
		"state " + state,
		"mods " + describeMods(i),
		fmt.Sprintf("protocol %d", i.Version),
		fmt.Sprintf("address %s", f.Addrs[0]),
		fmt.Sprintf("key %s", i.Key),
		fmt.Sprintf("ping %d ms", f.RTT.Milliseconds()),
	}
	return strings.Join(lines, "\n") + "\n"
}

func describeMods(i query.Info) string {
	var mods []string
	for _, m := range i.Mods {
		mods = append(mods, console.Clean(m.Name+" "+m.Version))
	}
	if more := i.ModCount - len(i.Mods); more > 0 {
		mods = append(mods, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(mods, ", ")
}
