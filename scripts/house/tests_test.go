package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listedTests is the number of tests that scripts/house/tests.txt lists. It never falls, because no
// line of the list may be deleted.
const listedTests = 1583

var (
	goTestName   = regexp.MustCompile(`^\S+\.((?:Test|Fuzz)\w*)$`)
	goTestLine   = regexp.MustCompile(`^(\S+\.(?:Test|Fuzz)\w*): \S`)
	pageTestLine = regexp.MustCompile(`^client/\S+\.test\.tsx?: \S`)
	pageTestFile = regexp.MustCompile(`\.test\.tsx?$`)
)

// shortName is a test's name without its package, or its title without its file.
func shortName(name string) string {
	if m := goTestName.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	_, title, _ := strings.Cut(name, ": ")
	return title
}

// testList is the parsed scripts/house/tests.txt.
type testList struct {
	names []string
	next  map[string]string // by moved or deleted test, the successor that its line names
	once  map[string]bool   // by short name, whether exactly one of names has it
}

// parseTests parses the list. It also returns the faulty lines.
func parseTests(text string) (testList, []string) {
	list := testList{next: map[string]string{}, once: map[string]bool{}}
	var wrong []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		old, next, isMove := strings.Cut(line, " -> ")
		switch {
		case line == "" || line[0] == '#':
		case isMove:
			kind, old, _ := strings.Cut(old, ": ")
			if kind == "gone" {
				at := strings.LastIndex(next, ": ")
				if at < 0 || shortName(next[:at]) == "" || strings.TrimSpace(next[at+2:]) == "" {
					wrong = append(wrong, line+": a successor and a reason are missing")
					continue
				}
				next = next[:at]
			} else if kind != "moved" {
				wrong = append(wrong, line+": a line with an arrow begins with moved or gone")
				continue
			}
			if list.next[old] != "" {
				wrong = append(wrong, line+": the test has two successors")
			}
			list.next[old] = next
		case goTestLine.MatchString(line):
			list.names = append(list.names, goTestLine.FindStringSubmatch(line)[1])
		case pageTestLine.MatchString(line):
			list.names = append(list.names, line)
		default:
			wrong = append(wrong, line+": no test and no successor")
		}
	}
	for _, name := range list.names {
		_, twice := list.once[shortName(name)]
		list.once[shortName(name)] = !twice
	}
	return list, wrong
}

// lost returns why a listed test is lost, or "". A test is lost if neither the test nor a successor
// exists.
func (l testList) lost(name string, there map[string]int) string {
	seen := map[string]bool{}
	for at := name; ; at = l.next[at] {
		switch {
		case there[at] > 0 && l.next[at] != "":
			return at + " is there, but a line says that it moved or is gone"
		case there[at] > 0:
			return ""
		case seen[at]:
			return at + " is its own successor"
		case l.next[at] != "":
			seen[at] = true
		case at == name && l.once[shortName(at)] && there[shortName(at)] == 1:
			return ""
		default:
			return at + " is not there: add a line to scripts/house/tests.txt that says where it went"
		}
	}
}

// check returns one line for each fault of the list. there has the number of existing tests by full
// and by short name.
func (l testList) check(there map[string]int) []string {
	var wrong []string
	for _, name := range l.names {
		if why := l.lost(name, there); why != "" {
			wrong = append(wrong, name+": "+why)
		}
	}
	for old := range l.next {
		if !slices.Contains(l.names, old) && !slices.Contains(slices.Collect(maps.Values(l.next)), old) {
			wrong = append(wrong, old+": a line says where it went, but the list never had it")
		}
	}
	return wrong
}

// goTests counts the tests of the module by full and by short name.
func goTests(t *testing.T, there map[string]int) {
	t.Helper()
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		_, file := f.parse(t, 0)
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			if name := f.dir + "." + fn.Name.Name; goTestName.MatchString(name) {
				there[name]++
				there[fn.Name.Name]++
			}
		}
	}
}

// unescaped removes backslashes: a formatter may change the quotes of a title, and with them which
// characters of the title are escaped.
func unescaped(s string) string { return strings.ReplaceAll(s, `\`, "") }

// TestNoTestGoesWithoutAWord: every test of the list exists, or its line names another test that
// asserts the same, and says why.
func TestNoTestGoesWithoutAWord(t *testing.T) {
	list, wrong := parseTests(read(t, "scripts/house/tests.txt"))
	if len(list.names) < listedTests {
		wrong = append(wrong, fmt.Sprintf("the list has %d tests, not %d: a line was deleted", len(list.names), listedTests))
	}
	there := map[string]int{}
	goTests(t, there)
	page := map[string]string{}
	for _, name := range tree(t) {
		if strings.HasPrefix(name, "client/") && pageTestFile.MatchString(path.Base(name)) {
			page[name] = unescaped(read(t, name))
		}
	}
	// The titles of the page's tests are literals: a test exists if its file contains the title.
	known := slices.Concat(list.names, slices.Collect(maps.Values(list.next)))
	slices.Sort(known)
	for _, name := range slices.Compact(known) {
		if !pageTestLine.MatchString(name) {
			continue
		}
		file, title, _ := strings.Cut(name, ": ")
		if strings.Contains(page[file], unescaped(title)) {
			there[name]++
		}
		there[title] = 0
		for _, text := range page {
			if strings.Contains(text, unescaped(title)) {
				there[title]++
			}
		}
	}
	for _, why := range append(wrong, list.check(there)...) {
		t.Error(why)
	}
}

// check reports a lost test, a faulty line and a successor that does not exist.
func TestLostTestIsSeen(t *testing.T) {
	there := map[string]int{"a.TestX": 1, "TestX": 1, "b.TestY": 1, "TestY": 1, "c.TestC": 1, "d.TestC": 1, "TestC": 2}
	for text, want := range map[string]string{
		"a.TestX: x": "",
		"z.TestY: found in the one package that has it":                    "",
		"a.TestC: of two packages that have it, which?":                    "is not there",
		"a.TestX: x\na.TestZ: z":                                           "TestZ is not there",
		"a.TestZ: z\nmoved: a.TestZ -> b.TestY":                            "",
		"a.TestZ: z\nmoved: a.TestZ -> b.TestQ":                            "TestQ is not there",
		"a.TestZ: z\ngone: a.TestZ -> b.TestY: it has all":                 "",
		"a.TestZ: z\ngone: a.TestZ -> b.TestY":                             "a reason",
		"a.TestZ: z\nlost: a.TestZ -> b.TestY":                             "moved or gone",
		"a.TestX: x\nmoved: a.TestX -> b.TestY":                            "is there, but",
		"a.TestX: x\nmoved: a.TestQ -> b.TestY":                            "never had it",
		"a.TestZ: z\nmoved: a.TestZ -> a.TestV\nmoved: a.TestV -> b.TestY": "",
		"a.TestZ: z\nmoved: a.TestZ -> a.TestV\nmoved: a.TestV -> a.TestZ": "its own successor",
		"some words": "no test",
	} {
		list, wrong := parseTests(text)
		got := strings.Join(append(wrong, list.check(there)...), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
