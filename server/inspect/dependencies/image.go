package dependencies

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
)

var (
	fromLine = inspect.Pattern(`(?i)^\s*FROM\s+(?:--\w+=\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$`)
	heredoc  = inspect.Pattern(`<<-?\s*["']?([A-Za-z_]\w*)["']?`)
)

// dockerfile reports whether a file describes how to build a container image.
func dockerfile(f *inspect.File) bool {
	base := strings.ToLower(f.Base())
	return base == "dockerfile" || base == "containerfile" || strings.HasPrefix(base, "dockerfile.") &&
		!isTemplate(base) ||
		strings.HasSuffix(base, ".dockerfile")
}

func isTemplate(base string) bool {
	for _, end := range []string{".j2", ".tmpl", ".tpl", ".in", ".erb", ".template", ".md", ".txt", ".ejs"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return false
}

// imageUnpinned reports unpinned base images. At most three files are reported one by one, more than three in one
// finding.
func imageUnpinned(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	var found []inspect.Finding
	var all []string
	built := sync.OnceValue(func() map[string]bool { return builtHere(ctx, r) })
	owners := sync.OnceValue(func() map[string]bool { return ownersOf(r) })
	for i := range r.Files {
		f := &r.Files[i]
		if !dockerfile(f) || !counted(f) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		data, ok := r.Text(f.Path)
		if !ok {
			continue
		}
		var names []string
		first := 0
		for _, d := range looseImages(data) {
			if image := strings.TrimSuffix(d.name, ":latest"); built()[image] || ownImage(owners(), image) ||
				slices.Contains(names, d.name) {
				continue
			}
			if first == 0 {
				first = d.line
			}
			names = append(names, d.name)
		}
		if len(names) == 0 {
			continue
		}
		all = append(all, fmt.Sprintf("%s: %s", f.Path, inspect.Some(names, 2)))
		var cause inspect.Cause
		if len(names) == 1 {
			image := strings.TrimSuffix(names[0], ":latest")
			cause = inspect.Cause{Key: "image " + image, Text: "the base image " + image}
		}
		found = append(found, inspect.Finding{
			Severity: inspect.Medium, Path: f.Path, Line: first, Same: "image",
			Title:    "The base image is not pinned: " + inspect.Some(names, 2),
			Evidence: inspect.Line(data, first),
			Why: "Without a tag, or with latest, each build takes whatever the registry holds on that day, the next " +
				"major version too.",
			Advice: fmt.Sprintf("Name a version, as %s:<version>, or a digest.", strings.TrimSuffix(names[0], ":latest")),
			Cause:  cause,
		})
	}
	if len(found) > 3 {
		one := found[0]
		one.Title = fmt.Sprintf("The base images of %d container files are not pinned", len(found))
		one.Evidence = inspect.Some(all, 8)
		one.Advice = "Name a version or a digest for each."
		one.Cause = inspect.Cause{}
		found = []inspect.Finding{one}
	}
	for _, f := range found {
		report(f)
	}
	return nil
}

// looseImages returns the images in FROM lines that have no tag or the tag latest. It omits names of earlier build
// stages, variables, and images with a digest.
func looseImages(data []byte) []dep {
	var out []dep
	stages := map[string]bool{"scratch": true}
	until, continued := "", false
	for n, line := range inspect.Lines(data) {
		trimmed := strings.TrimSpace(line)
		if until != "" {
			if trimmed == until {
				until = ""
			}
			continue
		}
		if strings.HasPrefix(trimmed, "#") {
			continue
		}
		was := continued
		continued = strings.HasSuffix(trimmed, `\`) || was && trimmed == "" || strings.HasSuffix(trimmed, "`")
		if m := heredoc.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.ToUpper(trimmed), "FROM") {
			until = m[1]
		}
		m := fromLine.FindStringSubmatch(line)
		if was || m == nil {
			continue
		}
		image := m[1]
		known := stages[strings.ToLower(image)]
		if m[2] != "" {
			stages[strings.ToLower(m[2])] = true
		}
		if known || strings.ContainsAny(image, "$@{<%") || strings.Contains(image, "oss-fuzz-base") {
			continue // the base images of OSS-Fuzz have no versions
		}
		last := image[strings.LastIndexByte(image, '/')+1:]
		if _, tag, ok := strings.Cut(last, ":"); ok && tag != "latest" {
			continue
		}
		out = append(out, dep{name: image, line: n})
	}
	return out
}

var taggedHere = inspect.Pattern(`(?:-t|--tag|\btags?:?)[\s=]+["']?([\w./-]+)`)

// builtHere returns the names of images that scripts of the repository build and tag.
func builtHere(ctx context.Context, r *inspect.Repo) map[string]bool {
	out := map[string]bool{}
	for _, data := range r.All(ctx, "Shell", "Makefile", "YAML", "Just") {
		if !bytes.Contains(data, []byte("-t")) && !bytes.Contains(data, []byte("tag")) {
			continue
		}
		for _, m := range taggedHere.FindAllSubmatch(data, -1) {
			out[string(m[1])] = true
		}
	}
	return out
}

// ownImage reports whether the people who own the repository make an image, so that they release both.
func ownImage(owners map[string]bool, image string) bool {
	at := strings.LastIndexByte(image, '/')
	if at < 0 {
		return false
	}
	for part := range strings.SplitSeq(strings.ToLower(image[:at]), "/") {
		if owners[part] {
			return true
		}
	}
	return owners[strings.ToLower(image[at+1:])]
}

var (
	moduleLine = inspect.Pattern(`(?m)^module\s+"?(?:[\w.-]+\.[a-z]+)/([\w.-]+)(?:/([\w.-]+))?`)
	npmOwner   = inspect.Pattern(`"name"\s*:\s*"@([\w.-]+)/|github\.com[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?["#]`)
)

// ownersOf returns the names of the organisation and of the programs that the manifests name, in lower case.
func ownersOf(r *inspect.Repo) map[string]bool {
	out := map[string]bool{}
	for i := range r.Files {
		f := &r.Files[i]
		pattern := map[string]*inspect.Regexp{"go.mod": moduleLine, "package.json": npmOwner}[f.Base()]
		if pattern == nil || f.Vendored || f.Test {
			continue
		}
		data, _ := r.Text(f.Path)
		if m := pattern.FindStringSubmatch(string(data)); m != nil {
			for _, name := range m[1:] {
				if len(name) > 2 {
					out[strings.ToLower(name)] = true
				}
			}
		}
	}
	return out
}
