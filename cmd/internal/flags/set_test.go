package flags

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// options are flags of each type.
type options struct {
	name   string
	strict bool
	web    string
	net    string
	size   int
	bots   *int
	rows   []string
	counts []int
	mode   string
	seed   *uint64
}

func newSet() (*Set, *options) {
	s, o := New("prog run"), &options{mode: "fast"}
	s.StringVar(&o.name, "name", "", "`TEXT`: the name")
	s.BoolVar(&o.strict, "strict", false, "end at the first error")
	s.Var(Address{To: &o.web}, "web", "`[HOST:PORT]`: serve here")
	s.Var(Address{To: &o.net, BeforeFile: true}, "net", "`[HOST:PORT]`: show here")
	s.Var(Count{&o.size, 1, 10}, "size", "`N`: the size")
	s.Var(OptionalCount{&o.bots, 0, 5}, "bots", "`N`: the bots")
	s.Var(List{&o.rows, ","}, "row", "`NAME`: a row")
	s.Var(CountList{&o.counts, 1, 9}, "counts", "`N,N…`: counts")
	s.Var(Choice{&o.mode, []string{"fast", "slow"}}, "mode", "`fast|slow`: the mode")
	s.Var(Seed{&o.seed}, "seed", "`N`: the seed")
	return s, o
}

// TestWordsAndFlags reads flags before, between and after words.
func TestWordsAndFlags(t *testing.T) {
	for line, words := range map[string]string{
		"a --name x b":          "a b",
		"--name x a b":          "a b",
		"a b --name x":          "a b",
		"a --name=x --strict b": "a b",
		"--name x a -- --b":     "a --b",
		"--name x -- -a b":      "-a b",
	} {
		s, o := newSet()
		got, err := s.Parse(strings.Fields(line))
		require.NoError(t, err, line)
		assert.Equal(t, strings.Fields(words), got, line)
		assert.Equal(t, "x", o.name, line)
	}
	s, o := newSet()
	_, err := s.Parse(strings.Fields("--size 7 --bots 0 --row a,b --row c --counts 1,9 --mode slow --seed 0x10"))
	require.NoError(t, err)
	assert.Equal(t, 7, o.size)
	assert.Equal(t, 0, *o.bots)
	assert.Equal(t, []string{"a", "b", "c"}, o.rows)
	assert.Equal(t, []int{1, 9}, o.counts)
	assert.Equal(t, "slow", o.mode)
	assert.Equal(t, uint64(16), *o.seed)
}

// TestAddressWithoutValue reads addresses that can stand alone: the word behind is a value, a word
// or a flag.
func TestAddressWithoutValue(t *testing.T) {
	for line, want := range map[string][3]string{
		"--web a":           {"", "", ""},
		"--web :80 a":       {":80", "", "a"},
		"--web --strict a":  {On, "", "a"},
		"--web off a":       {"", "", "a"},
		"--net a":           {"", On, "a"},
		"--net :80 a":       {"", ":80", "a"},
		"--net a:b":         {"", On, "a:b"},
		"a --net":           {"", On, "a"},
		"--net=[::1]:80 a":  {"", "[::1]:80", "a"},
		"--net on a":        {"", On, "a"},
		"--name --web":      {"", "", ""},
		"--strict a --web":  {On, "", "a"},
		"--web -- --name x": {On, "", "--name x"},
	} {
		s, o := newSet()
		words, err := s.Parse(strings.Fields(line))
		if line == "--web a" {
			assert.EqualError(t, err, `--web "a": must be HOST:PORT, on or off, for example :8080`)
			continue
		}
		require.NoError(t, err, line)
		assert.Equal(t, want, [3]string{o.web, o.net, strings.Join(words, " ")}, line)
	}
}

// TestErrorsAreOneSentence checks the sentence of each wrong use.
func TestErrorsAreOneSentence(t *testing.T) {
	for line, want := range map[string]string{
		"--nam x":          "prog run has no flag --nam, did you mean --name? (prog help run lists them)",
		"--zzzzzz":         "prog run has no flag --zzzzzz (prog help run lists them)",
		"--name":           "--name needs a value",
		"--strict=maybe":   `--strict "maybe": must be true or false`,
		"--size 11":        `--size "11": must be a whole number from 1 to 10`,
		"--counts 1,10":    `--counts "1,10": must be a whole number from 1 to 9`,
		"--mode lazy":      `--mode "lazy": must be one of fast, slow`,
		"--seed -1":        `--seed "-1": must be a whole number from 0 to 18446744073709551615`,
		"--bots six":       `--bots "six": must be a whole number from 0 to 5`,
		"a --web=x --help": `--web "x": must be HOST:PORT, on or off, for example :8080`,
	} {
		s, _ := newSet()
		_, err := s.Parse(strings.Fields(line))
		var usage *UsageError
		require.ErrorAs(t, err, &usage, line)
		assert.Equal(t, want, usage.Text, line)
	}
	s, _ := newSet()
	_, err := s.Parse([]string{"a", "--help"})
	assert.ErrorIs(t, err, flag.ErrHelp)
	assert.EqualError(t, s.Unexpected("x"), `prog run: unexpected argument "x"`)
	assert.Contains(t, s.Lines(), "--web [HOST:PORT]                  serve here")
	assert.Contains(t, s.Lines(), "--strict                           end at the first error")
}
