package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// idForm matches the id of a rule. An id is a whole word: B12, S0-B1 and 0xB1 do not cite B1.
// nameForm matches an id in the name of a Go test, with _ for - and for the dot. The id follows
// Test or ends the name: TestB4Sequential, TestS3_06, TestCouncils_S0_18, TestAfter_P4_1.
const (
	idForm   = `S[0-4]-\d\d|S[0-4]-B\d{1,2}|B\d{1,2}|P\d{1,2}\.\d{1,2}[a-z]?`
	nameForm = `S[0-4]_\d\d|S[0-4]_B\d{1,2}|B\d{1,2}|P\d{1,2}_\d{1,2}[a-z]?`
)

var (
	idPattern   = regexp.MustCompile(`\b(` + idForm + `)\b`)
	namePattern = regexp.MustCompile(`\bTest(?:\w*?_)?((?:` + nameForm + `)(?:_(?:` + nameForm + `))*)(?:[A-Z_(]|$)`)
	inName      = regexp.MustCompile(nameForm)
)

// ids returns the ids of rules that a text cites (S0-06, P4.1), sorted, each once.
func ids(text string) []string {
	var out []string
	for _, at := range idPattern.FindAllStringIndex(text, -1) {
		if at[0] > 0 && strings.ContainsRune("-_.#", rune(text[at[0]-1])) {
			continue // a part of another id or of a word
		}
		out = append(out, text[at[0]:at[1]])
	}
	for _, m := range namePattern.FindAllStringSubmatch(text, -1) {
		for _, id := range inName.FindAllString(m[1], -1) {
			by := "-"
			if id[0] == 'P' {
				by = "."
			}
			out = append(out, strings.Replace(id, "_", by, 1))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// cited lists the places that cite one rule. A place in tests is "folder TestName", or the path of a file that cites
// the rule outside of test functions.
type cited struct{ code, tests, mutants, docs []string }

var (
	testFile   = regexp.MustCompile(`(_test\.go|\.test\.tsx?)$`)
	mutantFile = regexp.MustCompile(`^scripts/mutants/breaks/([^/]+)\.txt$`)
	mutantRule = regexp.MustCompile(`(?m)^row: *(.*)$`)
	// skipped matches files whose ids are examples, or copies of citations in other files.
	skipped = regexp.MustCompile(`^scripts/(rows|mutants)/|(^|/)testdata/|_gen\.go$|\.gen\.ts$|` +
		`^shared/(SPEC|PROTOCOL|RULES)\.md$`)
)

// search returns the citations in the files that git lists, by the id of the rule.
func search(root string) (map[string]*cited, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	found := map[string]*cited{}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		file := string(name)
		mutant := mutantFile.FindStringSubmatch(file)
		if mutant == nil && (skipped.MatchString(file) || !slices.Contains(searched, path.Ext(file))) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			return nil, err
		}
		add := func(list func(*cited) *[]string, where string, numbers []string) {
			for _, id := range numbers {
				if found[id] == nil {
					found[id] = &cited{}
				}
				if l := list(found[id]); !slices.Contains(*l, where) {
					*l = append(*l, where)
				}
			}
		}
		switch {
		case mutant != nil:
			line := mutantRule.FindString(string(text))
			add(func(c *cited) *[]string { return &c.mutants }, mutant[1], ids(line))
		case testFile.MatchString(file):
			err = tests(file, string(text), func(where string, numbers []string) {
				add(func(c *cited) *[]string { return &c.tests }, where, numbers)
			})
		case path.Ext(file) == ".md":
			add(func(c *cited) *[]string { return &c.docs }, file, ids(string(text)))
		default:
			add(func(c *cited) *[]string { return &c.code }, file, ids(string(text)))
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// searched lists the extensions of files that may cite a rule.
var searched = []string{".go", ".ts", ".tsx", ".mjs", ".css", ".sh", ".md"}

// tests calls add once for each test function of a file: where names the test, numbers has the ids that the test
// cites. For citations outside of test functions it calls add with the file as where; in a file that is not in Go,
// these are all citations.
func tests(file, text string, add func(where string, numbers []string)) error {
	if path.Ext(file) != ".go" {
		add(file, ids(text))
		return nil
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	rest := 0
	between := func(to int) { add(file, ids(text[rest:to])) }
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		end := set.Position(f.End()).Offset
		if eol := strings.IndexByte(text[end:], '\n'); eol >= 0 {
			end += eol
		}
		begin := set.Position(from).Offset
		between(begin)
		add(path.Dir(file)+" "+f.Name.Name, ids(text[begin:end]))
		rest = end
	}
	between(len(text))
	return nil
}
