package cartographer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func sameBlocks() inspect.Check {
	return inspect.Check{
		ID: "cartographer/same-block", Hero: hero,
		Looks: "40 or more lines of code in a row that are in two source files, comments and imports not counted",
		Rule:  "Medium if it is 100 lines or more, is in three or more files, or two folders share three or more, else low.",
		Run:   runSameBlocks,
	}
}

// Every block of minLines lines contains a run of lines that has the length window and begins at a multiple of step.
// Only the runs that begin at a multiple of step are indexed, so that the index has one entry for each step lines of
// code.
const (
	step   = 10
	window = minLines - step + 1
)

// maxCode is the maximum number of lines that are compared, because each line takes 16 bytes of memory.
const maxCode = 5_000_000

// codeLine is a significant line.
type codeLine struct {
	hash   uint64
	number int32
	acts   bool // the line calls, assigns or decides, so it is no row of a table
}

// significant returns the lines of a file except blank lines, comments, imports and lines of brackets
// only. Indentation does not change a line's hash.
func significant(f *inspect.File, data []byte) []codeLine {
	var out []codeLine
	comment, imports := "", false
	for n, line := range inspect.Lines(data) {
		line = strings.TrimSpace(line)
		if comment != "" {
			if i := strings.Index(line, comment); i >= 0 {
				line, comment = strings.TrimSpace(line[i+len(comment):]), ""
			} else {
				continue
			}
		}
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "/*"):
			if !strings.Contains(line[2:], "*/") {
				comment = "*/"
			}
			continue
		case strings.HasPrefix(line, "//"), strings.HasPrefix(line, "--") && (f.Lang == "Lua" || f.Lang == "Haskell"),
			line[0] == '#' && f.Lang != "C" && f.Lang != "C++" && f.Lang != "C#" && f.Lang != "Rust",
			line[0] == '%' && f.Lang == "Erlang", line[0] == ';' && f.Lang == "Clojure":
			continue
		case f.Lang == "Python":
			for _, quote := range []string{`"""`, "'''"} {
				if strings.Count(line, quote)%2 == 1 {
					comment = quote
				}
			}
			if line[0] == '"' || line[0] == '\'' {
				continue
			}
		}
		if imports {
			imports = !strings.HasPrefix(line, ")") && !strings.HasPrefix(line, "}") && !strings.HasSuffix(line, ")")
			continue
		}
		if isImport(line) {
			imports = strings.HasSuffix(line, "(") || strings.HasSuffix(line, "{") && strings.HasPrefix(line, "import")
			continue
		}
		letters := 0
		for i := 0; i < len(line) && letters < 3; i++ {
			if c := line[i] | 0x20; c >= 'a' && c <= 'z' || line[i] >= '0' && line[i] <= '9' || line[i] >= 0x80 {
				letters++
			}
		}
		if letters < 3 || line == "else {" || line == "} else {" || line == "else:" || line == "else" || line == "end" {
			continue
		}
		h := fnv.New64a()
		for word := range strings.FieldsSeq(line) {
			h.Write([]byte(word)) // never fails
			h.Write([]byte{' '})
		}
		_, value, sets := strings.Cut(line, "= ")
		acts := sets && !isLiteral(value) || strings.HasPrefix(line, "return ") || strings.HasPrefix(line, "if ") || strings.HasPrefix(line, "for ") ||
			strings.Contains(line, "(") && !strings.HasSuffix(line, "),")
		out = append(out, codeLine{h.Sum64(), int32(n), acts})
	}
	return out
}

// isLiteral reports whether a value is a single number, string or name. Lines with such values form a
// table of constants.
func isLiteral(value string) bool {
	return !strings.ContainsAny(value, "([{ +.?") || value[0] == '"' && strings.Count(value, `"`) == 2
}

func isImport(line string) bool {
	for _, word := range []string{"import ", "import(", "import{", "from ", "using ", "use ", "package ", "require ", "require(", "#include", "export * from", "mod ", "extern crate"} {
		if strings.HasPrefix(line, word) {
			return true
		}
	}
	return strings.Contains(line, "= require(")
}

// block is a sequence of lines that two files share.
type block struct {
	a, b         int // indexes of the files
	fromA, fromB int // indexes of its first line in the files' lines
	lines        int
}

type codeFile struct {
	path  string
	lang  string
	lines []codeLine
}

func runSameBlocks(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	files, err := codeFiles(ctx, r)
	if err != nil && len(files) == 0 {
		return err
	}
	blocks, cut := compare(ctx, files)
	if cut != nil {
		return cut
	}
	tell(r, files, blocks, report)
	return err
}

func codeFiles(ctx context.Context, r *inspect.Repo) ([]codeFile, error) {
	var files []codeFile
	seen := map[[32]byte]bool{}
	total := 0
	for f, data := range sources(ctx, r) {
		if copiedNames.MatchString(f.Base()) || copyFolders.MatchString(f.Path) {
			continue
		}
		if sum := sha256.Sum256(data); !seen[sum] { // sameFiles reports whole copies
			seen[sum] = true
			if lines := significant(f, data); len(lines) >= minLines {
				files = append(files, codeFile{f.Path, f.Lang, lines})
				total += len(lines)
			}
		}
		if total > maxCode {
			return files, fmt.Errorf("only the first %s lines of code were compared", count(maxCode))
		}
	}
	return files, ctx.Err()
}

// mixer is the base of the rolling hash over a window.
const mixer = 0x9E3779B97F4A7C15

// compare returns the blocks that pairs of files share. It computes the hash of a window from the hash of the previous
// window, so that its time is proportional to the number of lines.
func compare(ctx context.Context, files []codeFile) ([]block, error) {
	type place struct{ file, at int32 }
	index := map[uint64]place{}
	var top uint64 = 1
	for range window - 1 {
		top *= mixer
	}
	var blocks []block
	for b := range files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		lines := files[b].lines
		var sum uint64
		sums := make([]uint64, 0, len(lines))
		for i, line := range lines {
			if i >= window {
				sum -= lines[i-window].hash * top
			}
			sum = sum*mixer + line.hash
			if i >= window-1 {
				sums = append(sums, sum)
			}
		}
		for at := 0; at < len(sums); at++ {
			p, ok := index[sums[at]]
			if !ok {
				continue
			}
			m := extend(files, int(p.file), b, int(p.at), at)
			if m.lines >= minLines && !apart(files[m.a].path, files[m.b].path) && isCode(lines[m.fromB:m.fromB+m.lines]) {
				blocks = append(blocks, m)
			}
			at = max(at, m.fromB+m.lines-window) // skip the rest of the block
		}
		for at := 0; at < len(sums); at += step {
			if _, ok := index[sums[at]]; !ok {
				index[sums[at]] = place{int32(b), int32(at)}
			}
		}
	}
	return blocks, nil
}

func extend(files []codeFile, a, b, atA, atB int) block {
	la, lb := files[a].lines, files[b].lines
	from := 0
	for atA-from > 0 && atB-from > 0 && la[atA-from-1].hash == lb[atB-from-1].hash {
		from++
	}
	m := block{a: a, b: b, fromA: atA - from, fromB: atB - from}
	for m.fromA+m.lines < len(la) && m.fromB+m.lines < len(lb) && la[m.fromA+m.lines].hash == lb[m.fromB+m.lines].hash {
		m.lines++
	}
	return m
}

// isCode reports whether at least three fifths of the lines differ and at least two fifths are not rows of a table.
func isCode(lines []codeLine) bool {
	different := map[uint64]bool{}
	acts := 0
	for _, line := range lines {
		different[line.hash] = true
		if line.acts {
			acts++
		}
	}
	return len(different)*5 >= len(lines)*3 && acts*5 >= len(lines)*2
}

// tell reports one finding for each cluster. If three or more clusters connect the same two folders, it
// reports one finding for these folders instead.
func tell(r *inspect.Repo, files []codeFile, blocks []block, report func(inspect.Finding)) {
	root := make([]int, len(files))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, m := range blocks {
		if a, b := find(m.a), find(m.b); a != b {
			root[max(a, b)] = min(a, b)
		}
	}
	ties := map[int][]block{}
	for _, m := range blocks {
		ties[find(m.a)] = append(ties[find(m.a)], m)
	}
	var clusters []cluster
	folders := map[string]int{} // number of clusters that connect two folders
	for i := range files {
		if len(ties[i]) == 0 {
			continue
		}
		most := slices.MaxFunc(ties[i], func(a, b block) int { return cmp.Compare(a.lines, b.lines) })
		c := cluster{most: most, blocks: len(ties[i]), folders: path.Dir(files[most.a].path) + "\x00" + path.Dir(files[most.b].path)}
		in := map[int]bool{}
		for _, m := range ties[i] {
			in[m.a], in[m.b] = true, true
			c.lines += m.lines
		}
		c.files = len(in)
		clusters = append(clusters, c)
		folders[c.folders]++
	}
	told := map[string]bool{}
	for _, c := range clusters {
		a, b, _ := strings.Cut(c.folders, "\x00")
		switch {
		case a == b || folders[c.folders] < 3:
			report(blockFinding(r, files, c))
		case !told[c.folders]:
			told[c.folders] = true
			report(folderFinding(files, clusters, c.folders))
		}
	}
}

// cluster is a set of files that are connected by common blocks, directly or through other files.
type cluster struct {
	most                 block
	blocks, files, lines int
	folders              string // folders of the two files with the largest block
}

// folderFinding returns the finding for two folders with several pairs of similar files.
func folderFinding(files []codeFile, clusters []cluster, folders string) inspect.Finding {
	var names []string
	lines := 0
	first := ""
	for _, c := range clusters {
		if c.folders == folders {
			names = append(names, fmt.Sprintf("%s (%d lines)", path.Base(files[c.most.a].path), c.lines))
			lines += c.lines
			if first == "" {
				first = files[c.most.a].path
			}
		}
	}
	a, b, _ := strings.Cut(folders, "\x00")
	return inspect.Finding{
		Severity: inspect.Medium, Title: fmt.Sprintf("%d files of %s share blocks of code with %s", len(names), inspect.Clip(path.Base(a), 26), inspect.Clip(path.Base(b), 26)), Path: first,
		Evidence: fmt.Sprintf("%s and %s: %s; %s lines of code the same in blocks of %d or more", a, b, some(names, 8), count(lines), minLines),
		Why:      "A mistake corrected in one of the folders stays in the other, and whoever changes one does not see the other.",
		Advice:   "Move what both need into one package, or generate one folder from the other.",
		Same:     "folders " + b,
		Cause:    copyOf(a, b),
		Size:     lines,
	}
}

func blockFinding(r *inspect.Repo, files []codeFile, c cluster) inspect.Finding {
	most := c.most
	a, b := files[most.a], files[most.b]
	span := func(f codeFile, from int) (int, string) {
		first, last := int(f.lines[from].number), int(f.lines[from+most.lines-1].number)
		return first, fmt.Sprintf("%s lines %d to %d", f.path, first, last)
	}
	lineA, spanA := span(a, most.fromA)
	_, spanB := span(b, most.fromB)
	severity := inspect.Low
	if most.lines >= 100 || c.files > 2 {
		severity = inspect.Medium
	}
	title := fmt.Sprintf("%d lines of code stand in %s and in %s", most.lines, inspect.Clip(path.Base(a.path), 30), inspect.Clip(path.Base(b.path), 30))
	if path.Base(a.path) == path.Base(b.path) {
		title = fmt.Sprintf("%d lines of code stand in two files called %s", most.lines, short(path.Base(a.path)))
	}
	begins := ""
	if data, ok := r.Text(a.path); ok {
		begins = "; it begins with: " + inspect.Clip(inspect.Line(data, lineA), 100)
	}
	evidence := fmt.Sprintf("%s and %s: %d lines of code the same%s", spanA, spanB, most.lines, begins)
	if c.blocks > 1 {
		evidence = fmt.Sprintf("%s; in all %d blocks in %d files", evidence, c.blocks, c.files)
	}
	return inspect.Finding{
		Severity: severity, Title: title, Path: a.path, Line: lineA, Evidence: evidence,
		Why:    "A mistake corrected in one place stays in the other, and whoever changes one does not see the other.",
		Advice: "Move the lines to one place that both use; if they will differ soon, say so in a comment at both.",
		Same:   "also in " + b.path,
		Cause:  copyOf(a.path, b.path),
		Size:   most.lines,
	}
}
