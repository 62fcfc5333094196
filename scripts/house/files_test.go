package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// tree lists the files that git tracks, and the untracked files that git does not ignore. The paths
// are relative to the root.
func tree(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		// git also lists a file whose deletion was not committed.
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			files = append(files, name)
		}
	}
	return files
}

var readProgram = sync.OnceValues(func() ([]*Package, error) { return Program(root) })

// program returns the packages of the program, which are read once.
func program(t *testing.T) []*Package {
	t.Helper()
	packages, err := readProgram()
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type goFile struct{ path, dir string }

func (f goFile) parse(t *testing.T, mode parser.Mode) (*token.FileSet, *ast.File) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join(root, f.path), nil, mode)
	if err != nil {
		t.Fatal(err)
	}
	return set, file
}

func (f goFile) imports(t *testing.T) []string {
	t.Helper()
	_, file := f.parse(t, parser.ImportsOnly)
	var out []string
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var out []goFile
	for _, name := range tree(t) {
		if path.Ext(name) == ".go" && !strings.Contains(name, "testdata/") {
			out = append(out, goFile{name, path.Dir(name)})
		}
	}
	return out
}

func goDirs(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, f := range goFiles(t) {
		dirs = append(dirs, f.dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		_, file := f.parse(t, parser.PackageClauseOnly|parser.ParseComments)
		if documented[f.dir] = documented[f.dir] || strings.TrimSpace(file.Doc.Text()) != ""; documented[f.dir] {
			continue
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package doc", dir)
		}
	}
}

// maxLines is the most lines of a hand-written file. From 400 lines on, consider a split.
const maxLines = 600

var generatedFile = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$|^// Generated from `)

func tooLong(name, text string) bool {
	if !slices.Contains([]string{".go", ".ts", ".tsx", ".mjs", ".css", ".sh"}, path.Ext(name)) {
		return false
	}
	head, _, _ := strings.Cut(text, "\n\n")
	return !generatedFile.MatchString(head) && strings.Count(text, "\n") > maxLines
}

func TestNoFileIsTooLong(t *testing.T) {
	for _, name := range tree(t) {
		if path.Ext(name) != "" && tooLong(name, read(t, name)) {
			t.Errorf("%s is over %d lines", name, maxLines)
		}
	}
	long := strings.Repeat("x\n", maxLines+1)
	if !tooLong("a.go", long) || !tooLong("b.tsx", long) || tooLong("c.json", long) || tooLong("d.gen.ts", "// Generated from a schema.\n"+long) {
		t.Error("the rule itself is wrong")
	}
}

var (
	vagueName = regexp.MustCompile(`(?i)^(managers?|utils?|common|helpers?|types)$`)
	vagueType = regexp.MustCompile(`(Manager|Helper|Utils?)$`)
)

// No file, package or type has a vague name such as manager, util, common, helper or types: such a
// name fits any code, so unrelated code gathers under it.
func TestNamesSaySomething(t *testing.T) {
	for _, name := range tree(t) {
		for part := range strings.SplitSeq(name, "/") {
			stem, _, _ := strings.Cut(part, ".")
			if vagueName.MatchString(strings.TrimSuffix(stem, "_test")) {
				t.Errorf("%s: %q says nothing", name, part)
			}
		}
	}
	for _, f := range goFiles(t) {
		set, file := f.parse(t, parser.SkipObjectResolution)
		if vagueName.MatchString(strings.TrimSuffix(file.Name.Name, "_test")) {
			t.Errorf("%s: package %s says nothing", f.path, file.Name.Name)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && vagueType.MatchString(spec.Name.Name) {
				t.Errorf("%s: type %s says nothing", set.Position(spec.Pos()), spec.Name.Name)
			}
			return true
		})
	}
}

// topLevel lists the only entries that the root folder may have, besides dot files.
var topLevel = []string{
	"server", "shared", "client", "worlds", "scripts", "go.mod", "go.sum", "Makefile", "README.md", "LICENSE",
}

func TestTopLevelIsFixed(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range tree(t) {
		top, _, _ := strings.Cut(name, "/")
		seen[top] = true
		if !strings.HasPrefix(top, ".") && !slices.Contains(topLevel, top) {
			t.Errorf("%s does not belong at the top level", top)
		}
	}
	for _, name := range topLevel {
		if !seen[name] {
			t.Errorf("%s is missing at the top level", name)
		}
	}
}

// sleeps finds calls of time.Sleep in a test file that does not use synctest. In a synctest bubble
// time is fake; a test outside of a bubble must wait for an event or poll, not sleep.
func sleeps(set *token.FileSet, file *ast.File) []token.Position {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"testing/synctest"` {
			return nil
		}
	}
	var at []token.Position
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" {
				at = append(at, set.Position(sel.Pos()))
			}
		}
		return true
	})
	return at
}

func TestNoTestSleeps(t *testing.T) {
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		set, file := f.parse(t, parser.SkipObjectResolution)
		for _, at := range sleeps(set, file) {
			t.Errorf("%s sleeps outside a synctest bubble", at)
		}
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "x_test.go", "package x\nimport \"time\"\nfunc f() { time.Sleep(1) }", 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(sleeps(set, file)) != 1 {
		t.Error("the rule itself is wrong")
	}
}

// The patterns are concatenated from parts, so that this file does not contain a forbidden text.
var (
	workplace    = regexp.MustCompile("/" + "(work|farm)/")
	registryHost = regexp.MustCompile(`"resolved": *"https?` + `:`)
	unfinished   = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)
)

func TestNothingOfTheWorkplace(t *testing.T) {
	for _, name := range tree(t) {
		switch path.Ext(name) {
		case ".png", ".jpg", ".ico", ".woff2", ".db":
			continue
		}
		text := read(t, name)
		if at := workplace.FindString(text); at != "" {
			t.Errorf("%s names a path of one machine: %s", name, at)
		}
		if strings.HasSuffix(name, "package-lock.json") && registryHost.MatchString(text) {
			t.Errorf("%s names a registry's host", name)
		}
		if ext := path.Ext(name); (ext == ".go" || ext == ".ts" || ext == ".tsx") && unfinished.MatchString(text) {
			t.Errorf("%s holds a note about unfinished work", name)
		}
	}
}
