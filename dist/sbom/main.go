// Command sbom prints the software bill of materials of a Go program: a CycloneDX 1.6 document in
// JSON, from what the compiler has recorded in the program. Equal programs give equal documents.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// document is the part of https://cyclonedx.org/docs/1.6/json/ that a Go program needs.
type document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM VERSION")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run prints the document of the program in a file. version is the program's own.
func run(file, version string, to io.Writer) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	e := json.NewEncoder(to)
	e.SetIndent("", "  ")
	return e.Encode(describe(info, version))
}

// describe returns the document of a program.
func describe(info *buildinfo.BuildInfo, version string) *document {
	d := &document{Format: "CycloneDX", Spec: "1.6", Version: 1}
	d.Metadata.Component = component{Type: "application", Name: info.Main.Path, Version: version}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	d.Components = append(d.Components, component{Type: "library", Name: "std", Version: goVersion, PURL: "pkg:golang/std@" + goVersion})
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.Components = append(d.Components, component{
			Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version,
			Properties: []property{{"go:sum", m.Sum}},
		})
	}
	return d
}
