package bind

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// MaxTagText is the maximum length of a tagged string, in bytes.
const MaxTagText = 1024

// TagsLib has the functions for Torque's tagged strings. Their text crosses a connection only once.
func TagsLib() vm.Lib {
	return Chapter("Tagged strings", []Row{
		{"tag", "text: string|tag -> tag", vm.Both, "Makes a tagged string. A connection carries its text once and then only an integer.", addTag},
		{"addTaggedString", "text: string|tag -> tag", vm.Both, "The same as tag. Each call of either adds a reference of the mod to the text.", addTag},
		{"removeTaggedString", "tag: tag", vm.Both, "Removes a reference that tag or addTaggedString added.", removeTag},
		{"getTaggedString", "tag: tag -> string", vm.Both, "Returns the tag's text.", tagText},
		{"buildTaggedString", "tag: tag, ...: any -> string", vm.Both, "Returns the tag's text with %1…%9 replaced by the arguments and %% by %, as a plain string.", buildTag},
		{"detag", "x: any -> any", vm.Both, "Returns the text of a tag; any other value unchanged.", detag},
		{"isTag", "x: any -> boolean", vm.Both, "Returns whether x is a tagged string.", isTag},
	})
}

// Tag returns argument i, a tag.
func (a Call) Tag(i int) sim.Value {
	t, ok := DataArg[Tag](a, i)
	if !ok {
		a.Wrong(i, "a tag")
	}
	return t.Value
}

func addTag(a Call) int {
	x := a.Binding()
	text := TextOf(a.Any(1))
	if u, ok := a.Get(1).(*lua.LUserData); !ok || KindOfData(u.Value) != "a tag" {
		text = a.String(1)
	}
	if len(text) > MaxTagText {
		a.Fail("a tag must have at most %d bytes, not %d", MaxTagText, len(text))
	}
	if _, known := x.DeclaredTags[text]; !known && len(x.DeclaredTags) >= x.env.MaxTags {
		a.Fail("a mod can have at most %d tags", x.env.MaxTags)
	}
	x.DeclaredTags[text]++
	return a.Return(x.Tag(sim.Tag(text)))
}

func removeTag(a Call) int {
	x := a.Binding()
	text := a.Tag(1).Text()
	switch n := x.DeclaredTags[text]; {
	case n > 1:
		x.DeclaredTags[text] = n - 1
	case n == 1:
		delete(x.DeclaredTags, text)
	default:
		a.Fail("this mod has no reference to the tag (addTaggedString adds one)")
	}
	return 0
}

func tagText(a Call) int { return a.Text(a.Tag(1).Text()) }

func detag(a Call) int {
	v := a.Any(1)
	if u, ok := v.(*lua.LUserData); ok {
		if t, ok := u.Value.(Tag); ok {
			return a.Text(t.Value.Text())
		}
	}
	return a.Return(v)
}

func isTag(a Call) int {
	_, ok := DataArg[Tag](a, 1)
	return a.Return(lua.LBool(ok))
}

// buildTag substitutes here as a receiver does: %n is the n-th argument after the tag.
func buildTag(a Call) int {
	text := sim.Substitute(nil, a.Tag(1).Text(), a.Longest(), func(n int) string {
		v, err := FromLua(a.Get(n + 1))
		if err != nil {
			return ""
		}
		return v.Print(a.Binding().env.Engine)
	})
	return a.Text(string(text))
}

// tagMeta is the metatable of tags. A tag converts to its text.
var tagMeta = []Row{
	{"__tostring", "", vm.Both, "", func(a Call) int { return a.Text(a.Tag(1).Text()) }},
	{"__len", "", vm.Both, "", func(a Call) int { return a.Return(lua.LNumber(len(a.Tag(1).Text()))) }},
	{"__eq", "", vm.Both, "", func(a Call) int { return a.Return(lua.LBool(a.Tag(1).Text() == a.Tag(2).Text())) }},
	{"__lt", "", vm.Both, "", func(a Call) int { return a.Return(lua.LBool(TextOf(a.Get(1)) < TextOf(a.Get(2)))) }},
	{"__concat", "", vm.Both, "", concatTag},
}

func concatTag(a Call) int {
	for i := 1; i <= 2; i++ {
		if u, ok := a.Get(i).(*lua.LUserData); ok {
			if _, ok := u.Value.(Tag); ok {
				continue
			}
		}
		_ = a.String(i)
	}
	return a.Text(TextOf(a.Get(1)) + TextOf(a.Get(2)))
}
