package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestKeepJudgeRun: make keep-judge-run takes the next number, and never one that
// is taken; the plots go with the page.
func TestKeepJudgeRun(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("SKIP needs make")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	keep := func() ([]byte, error) {
		return exec.Command("make", "-s", "-C", "../..", "keep-judge-run", "D="+dir).CombinedOutput()
	}
	if out, err := keep(); err == nil {
		t.Errorf("there is nothing to keep: %s", out)
	}
	for run := 1; run <= 3; run++ {
		write("judge-report.md", fmt.Sprintf("# Run %d\n\n![Kappa](judge-report-faithfulness-kappa.svg)\n", run))
		write("judge-report-faithfulness-kappa.svg", fmt.Sprint(run))
		if out, err := keep(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for run := 1; run <= 3; run++ {
		for name, want := range map[string]string{
			fmt.Sprintf("judge-report-run%d.md", run):                     fmt.Sprintf("# Run %d\n\n![Kappa](judge-report-run%[1]d-faithfulness-kappa.svg)\n", run),
			fmt.Sprintf("judge-report-run%d-faithfulness-kappa.svg", run): fmt.Sprint(run),
		} {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
				t.Errorf("%s: %q, want %q (%v)", name, got, want, err)
			}
		}
	}
}
