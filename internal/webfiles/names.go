package webfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// reference is a quoted relative name of a file.
var reference = regexp.MustCompile("([\"'`(])(\\.\\.?/[^\"'`()\\s?#]+)([\"'`)])")

// names finds the references between files.
type names struct {
	files   map[string][]byte
	hashes  map[string]string
	targets map[string][]string // the files that a file refers to, of each file that was searched
}

func newNames(files map[string][]byte) *names {
	n := &names{files: files, hashes: map[string]string{}, targets: map[string][]string{}}
	for name := range files {
		n.hashes[plainName(name)] = ""
	}
	for name := range n.hashes {
		n.hashes[name] = n.hash(name)
	}
	return n
}

// text returns the content of a file that can refer to others.
func (n *names) text(name string) []byte {
	if strings.HasPrefix(mediaType(name), "text/") {
		return n.files[name]
	}
	return nil
}

// target returns the file that a reference in a file means; "" if there is none.
func (n *names) target(in, ref string) string {
	to := path.Join(path.Dir(in), ref)
	if _, known := n.hashes[to]; !known {
		return ""
	}
	return to
}

// reach adds a file and all files that it refers to.
func (n *names) reach(name string, all map[string]bool) {
	if all[name] {
		return
	}
	all[name] = true
	for _, to := range n.search(name) {
		n.reach(to, all)
	}
}

// search returns the files that a file refers to. It searches each file once.
func (n *names) search(name string) []string {
	found, done := n.targets[name]
	if done {
		return found
	}
	for _, m := range reference.FindAllSubmatch(n.text(name), -1) {
		if to := n.target(name, string(m[2])); to != "" {
			found = append(found, to)
		}
	}
	n.targets[name] = found
	return found
}

// hash returns the hash of a file and of all files that it refers to.
func (n *names) hash(name string) string {
	all := map[string]bool{}
	n.reach(name, all)
	h := sha256.New()
	for _, of := range slices.Sorted(maps.Keys(all)) {
		content := n.files[of]
		if content == nil {
			content = n.files[of+".gz"]
		}
		fmt.Fprintf(h, "%q %d\n", of, len(content))
		h.Write(content)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// path returns where a file is.
func (n *names) path(name string) string { return assetFolder + n.hashed(name) }

// hashed returns the name of a file with its hash.
func (n *names) hashed(name string) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + n.hashes[name] + ext
}

// rewrite returns the content of a file with the hashes in all references.
func (n *names) rewrite(name string) []byte {
	if n.text(name) == nil {
		return n.files[name]
	}
	return reference.ReplaceAllFunc(n.files[name], func(m []byte) []byte {
		to := n.target(name, string(m[1:len(m)-1]))
		if to == "" {
			return m
		}
		return slices.Concat(m[:1], []byte(n.relative(name, to)), m[len(m)-1:])
	})
}

// relative returns how a file refers to another one: by the folder of all files, so a page can be read
// without resolving names. The page is one folder above the others.
func (n *names) relative(in, to string) string {
	if in == Index {
		return "." + n.path(to)
	}
	return strings.Repeat("../", strings.Count(in, "/")) + ".." + n.path(to)
}
