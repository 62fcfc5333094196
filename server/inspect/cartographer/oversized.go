package cartographer

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Limits of a file that is too large: it has more than largeLines lines, more than largeCode lines of code, and at
// least largeTimes as many lines as the median file of the repository. With fewer than minFiles files the median means
// nothing, and no file is reported.
const (
	largeLines = 1500
	largeCode  = 1000 // the other lines may be comments
	hugeLines  = 4000
	largeTimes = 5
	minFiles   = 8
	singly     = 5 // the number of files that are reported one by one
)

func oversized() inspect.Check {
	return inspect.Check{
		ID: "cartographer/oversized-file", Hero: hero,
		Looks: "source files of more than 1,500 lines, over 1,000 of them code, that are at least five times as long as is usual in the repository",
		Rule:  "Medium over 4,000 lines, else low.",
		Run:   runOversized,
	}
}

// headers lists the extensions of C and C++ headers. A header that is so large is mostly a third-party library.
var headers = map[string]bool{".h": true, ".hh": true, ".hpp": true, ".hxx": true, ".inl": true, ".ipp": true}

// family returns a common name for languages that a project uses side by side, such as JavaScript and TypeScript. For
// any other language it returns the language.
func family(lang string) string {
	switch lang {
	case "TypeScript", "TSX", "JavaScript", "JSX":
		return "JavaScript and TypeScript"
	case "C", "C++":
		return "C and C++"
	}
	return lang
}

func runOversized(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	lengths := map[string][]int{}
	type long struct {
		f           *inspect.File
		lines, code int
	}
	var longs []long
	for f, data := range sources(ctx, r) {
		n := bytes.Count(data, []byte("\n"))
		if len(data) > 0 && data[len(data)-1] != '\n' {
			n++
		}
		lengths[family(f.Lang)] = append(lengths[family(f.Lang)], n)
		if n <= largeLines || headers[path.Ext(f.Path)] || isTable(data) || copiedNames.MatchString(f.Base()) {
			continue
		}
		if code := len(significant(f, data)); code > largeCode {
			longs = append(longs, long{f: f, lines: n, code: code})
		}
	}
	for _, lines := range lengths {
		slices.Sort(lines)
	}
	longs = slices.DeleteFunc(longs, func(x long) bool {
		all := lengths[family(x.f.Lang)]
		return len(all) < minFiles || x.lines < largeTimes*max(1, all[len(all)/2])
	})
	slices.SortStableFunc(longs, func(a, b long) int { return b.lines - a.lines })
	var rest []string
	for i, x := range longs {
		all := lengths[family(x.f.Lang)]
		median := max(1, all[len(all)/2])
		if i >= singly {
			rest = append(rest, fmt.Sprintf("%s (%s lines)", x.f.Path, count(x.lines)))
			continue
		}
		severity := inspect.Low
		if x.lines > hugeLines {
			severity = inspect.Medium
		}
		report(inspect.Finding{
			Severity: severity, Title: fmt.Sprintf("%s has %s lines, %d times the usual here", short(x.f.Base()), count(x.lines), x.lines/median), Path: x.f.Path,
			Evidence: fmt.Sprintf("%s lines, %s of them code; half of the %s %s files have %s lines or fewer", count(x.lines), count(x.code), count(len(all)), family(x.f.Lang), count(median)),
			Why:      "A reader has to keep all of it in mind to change a part, and two people who work in it meet in conflicts.",
			Advice:   "Move one group of functions that belong together into a file of its own, and then the next.",
			Same:     "oversized",
			Cause:    inspect.SizeOf(x.f.Path),
		})
	}
	if len(rest) > 0 {
		report(inspect.Finding{
			Severity: inspect.Low, Title: more(len(rest)), Path: longs[singly].f.Path,
			Evidence: some(rest, 6),
			Why:      "Each of them is at least five times as long as is usual here.",
			Advice:   "Begin with the one that changes most.",
			Same:     "the others",
		})
	}
	return ctx.Err()
}

func more(n int) string {
	if n == 1 {
		return "One more file has over " + count(largeLines) + " lines"
	}
	return fmt.Sprintf("%d more files have over %s lines", n, count(largeLines))
}

// isTable reports whether most lines are rows of data or declarations, without calls and conditions.
// Such a file is long and still easy to read.
func isTable(data []byte) bool {
	working, lines := 0, 0
	for _, line := range inspect.Lines(data) {
		line = strings.TrimSpace(line)
		if len(line) < 2 || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "*") || strings.HasPrefix(line, "#") {
			continue
		}
		lines++
		word, _, _ := strings.Cut(line, " ")
		switch {
		case strings.Contains(line, "(") && !strings.HasSuffix(line, "),"), strings.Contains(line, ":="), strings.Contains(line, "+="),
			slices.Contains([]string{"return", "if", "elif", "else", "}", "for", "while", "switch", "case", "break", "continue"}, word):
			working++
		}
	}
	return working*10 < lines*3
}
