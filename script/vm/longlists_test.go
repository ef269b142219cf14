package vm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLongLists checks lists around the first length whose groups do not fit into an instruction.
func TestLongLists(t *testing.T) {
	for _, n := range []int{25_550, 25_551, 25_600, 25_601, 40_000} {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, "%d,", i%100)
		}
		got := newHostModel(t).ask(fmt.Sprintf("local a, b, l = 1, 2, {%s} local c, d = a, b return #l, l[25550], l[%d], l[0], l[-49], l[%d], c, d", list.String(), n, n+1))
		assert.Equal(t, fmt.Sprintf("%d 49 %d nil nil nil 1 2", n, (n-1)%100), got)
	}
	assert.Equal(t, "26000 26000 3", newHostModel(t).ask("local l = {{"+strings.Repeat("1,", 26_000)+"}, {"+strings.Repeat("1,", 26_000)+"}, 3} return #l[1], #l[2], #l"))
}
