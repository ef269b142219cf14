package data

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numbers are lines with whole numbers.
var numbers = Form[int]{Parse: strconv.Atoi, Format: strconv.Itoa}

// editedRig is a file of numbers that is open.
type editedRig struct {
	*EditedFile[int]
	t     *testing.T
	path  string
	wrong []string
}

func openNumbers(t *testing.T, text string) *editedRig {
	r := &editedRig{t: t, path: filepath.Join(t.TempDir(), "list")}
	r.edit(text)
	f, err := OpenEdited(r.path, numbers, Editor{Wrong: func(err error) { r.wrong = append(r.wrong, err.Error()) }})
	require.NoError(t, err)
	r.EditedFile = f
	return r
}

// edit writes the file like a person does.
func (r *editedRig) edit(text string) {
	require.NoError(r.t, os.WriteFile(r.path, []byte(text), 0o600))
}

func (r *editedRig) file() string {
	text, err := os.ReadFile(r.path)
	require.NoError(r.t, err)
	return string(text)
}

func (r *editedRig) put(n int) error { return r.Put(n, func(m int) bool { return m == n }) }

func (r *editedRig) all() []int { return slices.Collect(r.All()) }

// TestEditedLinesAreKept changes a file while a person does the same.
func TestEditedLinesAreKept(t *testing.T) {
	r := openNumbers(t, "# mine\n1\n\n  # of 2\n2")
	assert.Equal(t, []int{1, 2}, r.all())
	require.NoError(t, r.put(3))
	assert.Equal(t, "# mine\n1\n\n  # of 2\n2\n3\n", r.file())

	r.edit("# mine\n1\n4 \n# of 2\r\n2\r\n2\n3\n")
	assert.Equal(t, []int{1, 2, 3}, r.all(), "nobody has read it")
	require.NoError(t, r.put(2))
	assert.Equal(t, []int{1, 2, 3}, r.all(), "the second 2 goes")
	assert.Equal(t, "# mine\n1\n4 \n# of 2\r\n2\n3\n", r.file())
	assert.Equal(t, []string{r.path + `:3: strconv.Atoi: parsing "4 ": invalid syntax: the line has no effect`}, r.wrong)

	r.edit("# mine\n5\n")
	had, err := r.Remove(func(n int) bool { return n == 1 })
	require.NoError(t, err)
	assert.False(t, had, "a person has removed it")
	assert.Equal(t, []int{5}, r.all())
	had, err = r.Remove(func(n int) bool { return n == 5 })
	require.NoError(t, err)
	assert.True(t, had)
	assert.Equal(t, "# mine\n", r.file())
	require.NoError(t, os.Remove(r.path))
	require.NoError(t, r.put(6))
	assert.Equal(t, "6\n", r.file())
}

// TestReread reads what people write. Each time, the error names the lines that are wrong.
func TestReread(t *testing.T) {
	r := openNumbers(t, "1\n")
	r.edit("1\n2\nx\n")
	for range 2 {
		assert.EqualError(t, r.Reread(), r.path+`:3: strconv.Atoi: parsing "x": invalid syntax: the line has no effect`)
		assert.Equal(t, []int{1, 2}, r.all())
	}
	assert.Len(t, r.wrong, 1, "the log has it once")
	r.edit("1\n2\n#x\n")
	require.NoError(t, r.Reread())
	r.edit(strings.Repeat("x\n", 1000))
	err := r.Reread()
	assert.ErrorContains(t, err, r.path+":10: ")
	assert.NotContains(t, err.Error(), ":11:")
	assert.ErrorContains(t, err, r.path+": 990 more lines have no effect")
}

// TestUnreadableIsNotReplaced: a change holds, and the file stays as it is. When the file can be
// read and written again, the next change brings this one into it.
func TestUnreadableIsNotReplaced(t *testing.T) {
	r := openNumbers(t, "1\n")
	require.NoError(t, os.Truncate(r.path, maxFile+1))
	for _, n := range []int{2, 3} {
		assert.EqualError(t, r.put(n), "the change holds until the server ends, but cannot be saved: "+r.path+" is larger than 16 MiB")
	}
	_, err := r.Remove(func(n int) bool { return n == 1 })
	assert.Error(t, err)
	assert.Error(t, r.Reread())
	assert.Equal(t, []int{2, 3}, r.all())
	info, err := os.Stat(r.path)
	require.NoError(t, err)
	assert.Equal(t, int64(maxFile+1), info.Size())

	r.edit("# back\n1\n2\n4\n")
	require.NoError(t, r.put(5))
	assert.Equal(t, "# back\n2\n4\n3\n5\n", r.file())
	assert.Equal(t, []int{2, 4, 3, 5}, r.all())
}

// TestAskedForChanges: an Editor can answer in place of the disk, as in a replay.
func TestAskedForChanges(t *testing.T) {
	r := openNumbers(t, "1\n")
	text, changed, err := "", false, error(nil)
	r.editor.Ask = func(Reading) (string, bool, error) { return text, changed, err }
	r.edit("7\n")
	require.NoError(t, r.put(2))
	assert.Equal(t, []int{1, 2}, r.all())
	text, changed = "8\n", true
	require.NoError(t, r.put(3))
	assert.Equal(t, []int{8, 3}, r.all())
	err = errors.New("no disk")
	assert.EqualError(t, r.put(4), "the change holds until the server ends, but cannot be saved: no disk")
	assert.Equal(t, []int{8, 3, 4}, r.all())

	var none EditedFile[int]
	require.NoError(t, none.Put(1, func(int) bool { return false }))
	require.NoError(t, none.Reread())
	assert.Equal(t, []int{1}, slices.Collect(none.All()), "without a file")
}
