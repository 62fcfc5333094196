package structure

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// minLines is the number of lines of code from which on equal files are reported. leastBytes is a size that
// such a file exceeds.
const (
	minLines   = 40
	leastBytes = 2 * minLines
)

func sameFiles() inspect.Check {
	return inspect.Check{
		ID: "cartographer/same-file", Hero: "cartographer",
		Looks: "source files that are byte for byte the same, of at least 40 lines of code",
		Rule:  "Medium if there are three or more copies or each has over 300 such lines, else low.",
		Run:   runSameFiles,
	}
}

// copiedNames matches files of which each package needs its own copy.
var copiedNames = inspect.Pattern(`(?i)(\.config\.|rc\.[cm]?js$|^(setup|manage|versioneer|conf|configure|noxfile|fabfile|tasks)\.py$|^(gruntfile|gulpfile)\.|^(gradlew|mvnw)|^(install-sh|ltmain\.sh)$|\.d\.[cm]?ts$|\.min\.)`)

// apart reports whether two files have a reason to be equal: they belong to different versions or systems, or they hold
// one script for two ways of loading it.
func apart(a, b string) bool { return versioned(a, b) || systems(a, b) }

// goSystem matches the end of a Go file's name that restricts it to a system.
var goSystem = inspect.Pattern(`_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|unix|posix|bsd|other|386|amd64|arm|arm64|loong64|mips|mipsle|mips64|mips64le|mips64x|mipsx|ppc|ppc64|ppc64le|ppc64x|riscv64|s390x|sparc64|wasm|x86|noasm|generic)+$`)

// systemPart matches the name of a folder for one system or architecture.
var systemPart = inspect.Pattern(`(?i)^(aix|android|darwin|macos|osx|freebsd|illumos|ios|linux|netbsd|openbsd|solaris|windows|win32|win|posix|unix|x86|x64|x86_64|i?[36]86|amd64|arm|arm64|aarch64|loong64|mips\w*|ppc64(le)?|riscv64|s390x|wasm)$`)

// scriptKind matches the extensions that tell how a JavaScript file is loaded.
var scriptKind = inspect.Pattern(`\.[cm]?[jt]s$`)

// anySystem returns path p with "*" in place of each folder that is for one system.
func anySystem(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts[:len(parts)-1] {
		if systemPart.MatchString(parts[i]) {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

func systems(a, b string) bool {
	if anySystem(a) == anySystem(b) || scriptKind.MatchString(a) && scriptKind.ReplaceAllString(a, "") == scriptKind.ReplaceAllString(b, "") {
		return true
	}
	if path.Ext(a) != ".go" || path.Ext(b) != ".go" || path.Dir(a) != path.Dir(b) {
		return false
	}
	return plainStem(a) == plainStem(b)
}

func plainStem(p string) string {
	stem := strings.TrimSuffix(path.Base(p), ".go")
	for goSystem.MatchString(stem) {
		stem = goSystem.ReplaceAllString(stem, "")
	}
	return stem
}

func runSameFiles(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	bySize := map[int64]int{}
	for i := range r.Files {
		bySize[r.Files[i].Size]++
	}
	type group struct {
		paths []string
		lines int
		bytes int64
	}
	groups := map[[32]byte]*group{}
	var order [][32]byte
	for f, data := range sources(ctx, r) {
		if bySize[f.Size] < 2 || f.Size < leastBytes || copiedNames.MatchString(f.Base()) || copyFolders.MatchString(f.Path) {
			continue
		}
		sum := sha256.Sum256(data)
		g := groups[sum]
		if g == nil {
			g = &group{lines: filled(data), bytes: f.Size}
			groups[sum] = g
			order = append(order, sum)
		}
		if !slices.ContainsFunc(g.paths[:min(len(g.paths), 4)], func(p string) bool { return apart(p, f.Path) }) {
			g.paths = append(g.paths, f.Path)
		}
	}
	for _, sum := range order {
		g := groups[sum]
		if len(g.paths) < 2 || g.lines < minLines {
			continue
		}
		severity := inspect.Low
		if len(g.paths) > 2 || g.lines > 300 {
			severity = inspect.Medium
		}
		var cause inspect.Cause
		if len(g.paths) == 2 {
			cause = copyOf(g.paths[0], g.paths[1])
		}
		report(inspect.Finding{
			Severity: severity, Title: fmt.Sprintf("%s is here %d times, byte for byte", short(path.Base(g.paths[0])), len(g.paths)), Path: g.paths[0],
			Evidence: fmt.Sprintf("%s: %s lines of code, %s bytes each", some(g.paths, 5), count(g.lines), count(int(g.bytes))),
			Why:      "A mistake corrected in one of them stays in the others, and nothing shows that they belong together.",
			Advice:   "Keep one and import it from the other places, or let the build make the copy.",
			Same:     "same as " + g.paths[1],
			Cause:    cause,
			Size:     g.lines,
		})
	}
	return ctx.Err()
}

// filled returns the number of lines that hold more than space or a comment.
func filled(data []byte) (n int) {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !comment.Match(line) {
			n++
		}
	}
	return n
}

var comment = inspect.Pattern(`^(//|/?\*|#[^a-z]|--)`)
