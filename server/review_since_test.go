package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The review of a change says with what it compares, in every format, and its exit code counts new findings only. A
// revision that cannot be found is an error.
func TestReviewSince(t *testing.T) {
	files := map[string]string{"old.go": openSQL}
	for name, text := range sound {
		files[name] = text
	}
	dir := made(t, files)
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("old.go", strings.Replace(openSQL, "\treturn", "\tprintln()\n\treturn", 1))
	if code, stdout, stderr := reviewing("-since", "HEAD", dir); code != 0 ||
		!strings.Contains(stdout, ": 1 file differs.") || !strings.Contains(stdout, "unchanged, in the changed function Find.") {
		t.Errorf("%d, %s:\n%s", code, stderr, stdout)
	}
	put("new.go", strings.Replace(openSQL, "Find", "Seek", 2))
	for format, says := range map[string][]string{
		"text":     {"Since HEAD (", ": 2 files differ. What was read of them:\nGo: 2 files", "Since HEAD (", "): new, in the new file new.go."},
		"markdown": {"Since HEAD (", ": 2 files differ.", "## Coverage", "): new, in the new file new.go.", "## Mended"},
		"json":     {`"since": {`, `"rev": "HEAD"`, `"baselineState": "new"`, `"change": "in the new file new.go"`, `"baselineState": "unchanged"`},
		"sarif":    {`"baselineState": "new"`, `"baselineState": "unchanged"`, `"since": {`},
	} {
		code, stdout, stderr := reviewing("-since", "HEAD", "-format", format, dir)
		if code != 1 || !strings.Contains(stderr, "1 new finding is high or higher") {
			t.Errorf("%s: %d, %s", format, code, stderr)
		}
		at := 0
		for _, want := range says {
			i := strings.Index(stdout[at:], want)
			if i < 0 {
				t.Fatalf("%s does not say %q after the others:\n%s", format, want, stdout)
			}
			at += i
		}
		if strings.HasPrefix(stdout, "{") && !json.Valid([]byte(stdout)) {
			t.Errorf("%s is no JSON", format)
		}
	}
	if code, stdout, stderr := reviewing("-since", "nowhere", dir); code != 2 || stdout != "" || !strings.Contains(stderr, `"nowhere" names no commit`) {
		t.Errorf("%d, %s: %s", code, stderr, stdout)
	}
}

// A change of documents alone fails no review that requires coverage.
func TestAChangeOfDocumentsNeedsNoSource(t *testing.T) {
	dir := made(t, sound)
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# shop\n\nAnother shop.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := reviewing("-since", "HEAD", "-require-coverage", dir); code != 0 {
		t.Errorf("%d: %s", code, stderr)
	}
}
