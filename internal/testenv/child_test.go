package testenv

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

const role = "TESTENV_ROLE"

func TestMain(m *testing.M) {
	EndWithParent()
	switch os.Getenv(role) {
	case "parent":
		os.Exit(parent())
	case "child":
		fmt.Println("child")
		select {}
	}
	os.Exit(m.Run())
}

// parent starts a child that runs for ever and ends as a test binary does that reaches -timeout.
func parent() int {
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{role + "=child"}
	cmd.Stdout = os.Stdout
	if err := Start(new(testing.T), cmd); err != nil {
		return 1
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the child has said a word
	panic("test timed out")
}

// The child keeps the standard output open until it ends. A child that outlives its parent keeps
// this test from ending.
func TestAChildEndsWhenItsParentPanics(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{role + "=parent"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := Start(t, cmd); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "child\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := io.WriteString(in, "x"); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
		t.Fatalf("got %q, %v", rest, err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the parent did not panic")
	}
}
