package dependencies

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

func unpinned(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	loose := func(f inspect.Finding) {
		f.Suspect("whoever builds it may pin it elsewhere, or want the newest")
		report(f)
	}
	return errors.Join(each(ctx, r, loose, npmUnpinned, pipUnpinned, imageUnpinned, cargoUnpinned),
		each(ctx, r, report, replaceOutside))
}

var (
	gitPin    = inspect.Pattern(`#([0-9a-f]{7,40}$|(semver:)?[\^~]?v?\d+(\.\d+)+)`) // a commit, or the name of a version
	gitSource = inspect.Pattern(`^(git(\+\w+)?:|github:|gitlab:|bitbucket:|https?://[^ ]+\.git(#|$)|[\w.-]+/[\w.-]+(#|$))`)
)

func npmUnpinned(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	all, err := manifests(ctx, r)
	own := workspace(all)
	for _, m := range all {
		if lockOf(r, m.file.Dir()) != nil {
			continue
		}
		var loose []string
		first := 0
		for _, d := range m.in(runtimeDeps, optionalDeps) {
			if own[d.name] || strings.HasPrefix(d.name, "@types/") || local(d.spec) {
				continue
			}
			switch {
			case d.spec == "*", d.spec == "latest", d.spec == "x", d.spec == "",
				gitSource.MatchString(d.spec) && !gitPin.MatchString(d.spec):
			default:
				continue
			}
			if first == 0 {
				first = d.line
			}
			loose = append(loose, fmt.Sprintf("%q: %q", d.name, d.spec))
		}
		if len(loose) == 0 {
			continue
		}
		report(inspect.Finding{
			Severity: inspect.Medium, Path: m.file.Path, Line: first, Same: "npm",
			Title:    "Nothing pins " + plural(len(loose), "npm package"),
			Evidence: inspect.Some(loose, 6),
			Why: "There is no lock file beside or above this package.json, so each install takes whatever is newest on " +
				"that day.",
			Advice: "Give a version range, or for a git source a commit, and commit the lock file.",
		})
	}
	return err
}

var pipName = inspect.Pattern(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[^\]]*\])?$`)

// pipUnpinned reports requirements without a version in the requirements.txt of applications. It skips libraries: their
// requirements.txt is for the library's developers, and users get the ranges in the library's metadata.
func pipUnpinned(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	for i := range r.Files {
		f := &r.Files[i]
		if f.Base() != "requirements.txt" || !counted(f) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if above(r, f.Dir(), "setup.py", "setup.cfg", "pyproject.toml", "uv.lock", "poetry.lock", "Pipfile.lock") != nil ||
			r.File(in(f.Dir(), "requirements.in")) != nil {
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok {
			continue
		}
		loose, total, first, constrained := pipLoose(data)
		if len(loose) == 0 || constrained {
			continue
		}
		out := inspect.Finding{
			Severity: inspect.Medium, Path: f.Path, Line: first, Same: "pip",
			Title:    fmt.Sprintf("%d of %s without a version", len(loose), plural(total, "requirement")),
			Evidence: inspect.Some(loose, 10),
			Why: "pip takes whatever is newest on the day of the install, so the same commit can work today and break " +
				"tomorrow.",
			Advice: "Pin each with == or at least give a range, or write the file with pip-compile or uv.",
		}
		if inspect.Shown(f) {
			out.Suspect("it stands in an example or in documentation")
		}
		report(out)
	}
	return nil
}

func pipLoose(data []byte) (loose []string, total, first int, constrained bool) {
	for n, line := range inspect.Lines(data) {
		line, _, _ = strings.Cut(line, " #")
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "-c") || strings.HasPrefix(line, "--constraint") {
			return nil, 0, 0, true
		}
		if line == "" || line[0] == '#' || line[0] == '-' {
			continue
		}
		name, _, _ := strings.Cut(line, ";") // environment markers
		name = strings.TrimSpace(name)
		total++
		if pipName.MatchString(name) && !strings.ContainsAny(name, "/\\") && !strings.HasSuffix(name, ".whl") {
			if first == 0 {
				first = n
			}
			loose = append(loose, name)
		}
	}
	return loose, total, first, false
}

func cargoUnpinned(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	for i := range r.Files {
		f := &r.Files[i]
		if f.Base() != "Cargo.toml" || !counted(f) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if above(r, f.Dir(), "Cargo.lock") != nil {
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok {
			continue
		}
		for _, d := range cargoGit(data) {
			report(inspect.Finding{
				Severity: inspect.Medium, Path: f.Path, Line: d.line, Same: "cargo " + d.name,
				Title:    fmt.Sprintf("Nothing pins the git dependency %s", d.name),
				Evidence: inspect.Line(data, d.line),
				Why: "There is no Cargo.lock beside or above this Cargo.toml, so each fresh build takes whatever the branch " +
					"holds on that day.",
				Advice: "Add rev with a commit or tag with a version, or commit Cargo.lock.",
				Cause:  inspect.Cause{Key: "dependency " + d.name, Text: "the git dependency " + d.name},
			})
		}
	}
	return nil
}

var (
	tomlTable  = inspect.Pattern(`^\s*\[+\s*([^\]]+?)\s*\]+`)
	cargoTable = inspect.Pattern(`(^|\.)(dev-|build-)?dependencies$`)
	cargoOne   = inspect.Pattern(`(^|\.)(dev-|build-)?dependencies\.["']?([\w-]+)["']?$`)
	cargoLine  = inspect.Pattern(`^\s*["']?([\w-]+)["']?\s*=\s*\{(.*)\}`)
	cargoIsGit = inspect.Pattern(`(^|[\s,{])git\s*=\s*["']`)
	cargoPin   = inspect.Pattern(`(^|[\s,{])(rev|tag)\s*=\s*["']`)
)

// cargoGit returns the git dependencies that have neither a rev nor a tag.
func cargoGit(data []byte) []dep {
	var out []dep
	table, name, git, pinned, line := "", "", false, false, 0
	end := func() {
		if name != "" && git && !pinned {
			out = append(out, dep{name: name, line: line})
		}
		name, git, pinned = "", false, false
	}
	for n, text := range inspect.Lines(data) {
		if strings.HasPrefix(strings.TrimSpace(text), "#") {
			continue
		}
		if m := tomlTable.FindStringSubmatch(text); m != nil {
			end()
			table = m[1]
			if m := cargoOne.FindStringSubmatch(table); m != nil {
				name, line = m[3], n
			}
			continue
		}
		switch {
		case name != "":
			if cargoIsGit.MatchString(text) {
				git, line = true, n
			}
			pinned = pinned || cargoPin.MatchString(text)
		case cargoTable.MatchString(table):
			if m := cargoLine.FindStringSubmatch(text); m != nil && cargoIsGit.MatchString(m[2]) && !cargoPin.MatchString(m[2]) {
				out = append(out, dep{name: m[1], line: n})
			}
		}
	}
	end()
	return out
}

func replaceOutside(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	mods, err := goModules(ctx, r)
	for _, m := range mods {
		for _, rep := range m.mod.Replace {
			to := rep.New.Path
			if rep.New.Version != "" || to == "" {
				continue // the replacement is a module, not a path
			}
			f := inspect.Finding{
				Severity: inspect.High, Path: m.file.Path, Line: rep.Syntax.Start.Line, Same: "replace " + rep.Old.Path,
				Evidence: inspect.Line(m.text, rep.Syntax.Start.Line),
				Advice: "Remove the replace and require a version, or keep the local path in a go.work file that is not " +
					"committed.",
			}
			target := path.Join(m.file.Dir(), strings.ReplaceAll(to, `\`, "/"))
			switch {
			case path.IsAbs(to) || len(to) > 1 && to[1] == ':':
				f.Title = fmt.Sprintf("go.mod replaces %s by an absolute path", rep.Old.Path)
				f.Why = fmt.Sprintf("The folder %s exists on one machine only: everybody else's build ends with an error.", to)
			case target == ".." || strings.HasPrefix(target, "../"):
				f.Title = fmt.Sprintf("go.mod replaces %s by a folder outside of the repository", rep.Old.Path)
				f.Why = fmt.Sprintf("A clone does not bring %s along: its build ends with an error unless somebody puts that "+
					"folder beside it.", to)
			default:
				continue
			}
			report(f)
		}
	}
	return err
}
