package notify

import (
	"maps"
	"slices"
	"strings"
)

const (
	allocatedState = "Allocated"
	// lastAllocated is the annotation with the time of the newest allocation: a server can be
	// allocated again.
	lastAllocated = "agones.dev/last-allocated"

	maxAnnotations     = 64
	maxAnnotationBytes = 16 << 10 // of names and values
)

// allocation is the newest one that mods know.
type allocation struct {
	is   bool
	when string
}

// hear passes on a new allocation.
func (a *Agones) hear(g *gameServer) {
	is := allocation{g.Status.State == allocatedState, g.Meta.Annotations[lastAllocated]}
	fresh := is.is && is != a.last
	a.last = is
	if !fresh {
		return
	}
	told, all := annotationsOf(g)
	if !all {
		a.log.Warn("the server is allocated with more annotations than mods get", "most", maxAnnotations, "bytes", maxAnnotationBytes)
	}
	a.allocated(told)
}

// annotationsOf returns the annotations that mods get: not those of the cluster itself. all is
// false if there are too many. The first ones by name count.
func annotationsOf(g *gameServer) (some map[string]string, all bool) {
	some, all = map[string]string{}, true
	size := 0
	for _, name := range slices.Sorted(maps.Keys(g.Meta.Annotations)) {
		value := g.Meta.Annotations[name]
		if ofCluster(name) {
			continue
		}
		if size += len(name) + len(value); size > maxAnnotationBytes || len(some) == maxAnnotations {
			return some, false
		}
		some[name] = value
	}
	return some, all
}

// ofCluster reports whether an annotation is one of Kubernetes or Agones.
func ofCluster(name string) bool {
	domain, _, has := strings.Cut(name, "/")
	if !has {
		return false
	}
	for _, of := range []string{"kubernetes.io", "k8s.io", "agones.dev"} {
		if domain == of || strings.HasSuffix(domain, "."+of) {
			return true
		}
	}
	return false
}
