package dependencies

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
)

// loads matches what may be an import. maxLoads is the maximum number of imports that are read in one file.
var loads = inspect.Pattern(`\b(?:from|import|require\s*\()\s*["']([^"'\n]+)["']`)

const maxLoads = 2_000

var npmName = inspect.Pattern(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)

// provided lists names that a runtime or a framework provides without a declaration in a package.json.
var provided = inspect.Words(`
		assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
		events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl
		sqlite stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib
		bun k6 vscode electron atom sketch uxp photoshop indesign ember theme std qjs native meteor ws-native react-native
		original-fs figma gi system webpage greenlet snaps`)

// providedScopes lists scopes of packages that frameworks provide or generate.
var providedScopes = []string{"@theme", "@theme-original", "@theme-init", "@site", "@generated", "@docusaurus",
	"@ember", "@glimmer", "@app", "@types", "@jest", "@storybook", "@minecraft", "@girs"}

// packageOf returns the npm package that an import names, or "".
func packageOf(name string) string {
	name, _, _ = strings.Cut(name, "?")
	if name == "" || strings.ContainsAny(name, ":!\\ ${}") || strings.ContainsAny(name[:1], "./#~") ||
		strings.HasPrefix(name, "@/") {
		return ""
	}
	words := strings.SplitN(name, "/", 3)
	pkg := words[0]
	if pkg[0] == '@' {
		if len(words) < 2 || slices.Contains(providedScopes, pkg) {
			return ""
		}
		pkg += "/" + words[1]
	}
	if !npmName.MatchString(pkg) || provided[pkg] {
		return ""
	}
	return pkg
}

// missingPackage is an imported package that no package.json declares.
type missingPackage struct {
	name  string
	file  *inspect.File // the first file that imports the package
	text  []byte
	line  int
	files int
}

// undeclared reports packages that the project's scripts import and that no package.json in their folder
// or above declares.
func undeclared(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	all, err := manifests(ctx, r)
	if err != nil || len(all) == 0 {
		return err // without all manifests it is not known which packages are declared
	}
	own := map[string]bool{}                 // the repository's own packages
	declared := map[string]map[string]bool{} // by the folder of the package.json
	for _, m := range all {
		own[m.name] = true
		names := map[string]bool{}
		for _, name := range m.declared {
			names[name] = true
			names[untyped(name)] = true
		}
		declared[m.file.Dir()] = names
	}
	byHome := missingPackages(ctx, r, own, declared)
	for _, home := range slices.Sorted(maps.Keys(byHome)) {
		settings := aliasText(ctx, r, home)
		var found []inspect.Finding
		var all []string
		for _, name := range slices.Sorted(maps.Keys(byHome[home])) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if x := byHome[home][name]; !aliased(r, home, name, settings) {
				found = append(found, x.finding(r, home))
				all = append(all, fmt.Sprintf("%s (%s)", name, x.file.Path))
			}
		}
		if len(found) > 2 {
			one := slices.MinFunc(found, inspect.Worse)
			one.Path, one.Line, one.Same = path.Join(home, "package.json"), 0, "undeclared"
			one.Title = fmt.Sprintf("%d packages are imported and not declared in package.json", len(found))
			one.Evidence = inspect.Some(all, 8)
			one.Advice = fmt.Sprintf("Add them to the dependencies in %s, or remove the imports that are not used any more.",
				one.Path)
			found = []inspect.Finding{one}
		}
		for _, f := range found {
			if f.Severity == inspect.Medium {
				f.Suspect("a bundler, or the program that runs this code, may provide the package")
			}
			report(f)
		}
	}
	return ctx.Err()
}

// missingPackages returns the packages that scripts import without a declaration, by the folder of the nearest
// package.json and by name.
func missingPackages(ctx context.Context, r *inspect.Repo, own map[string]bool,
	declared map[string]map[string]bool) map[string]map[string]*missingPackage {
	missing := func(f *inspect.File, module string) string {
		name := packageOf(module)
		if name == "" || own[name] || known(declared, f.Dir(), name) {
			return ""
		}
		return name
	}
	maybe := func(f *inspect.File, data []byte) bool {
		if !counted(f) || strings.HasPrefix(f.Base(), ".") || strings.Contains(f.Base(), ".native.") || longLine(data) ||
			bytes.Contains(data, []byte(`"Cannot find module '"`)) { // a bundle of several modules
			return false
		}
		// Skip projects that use Ember, because its build provides packages under names of its own.
		if _, homed := homeOf(declared, f.Dir()); !homed || known(declared, f.Dir(), "ember-source") {
			return false
		}
		return slices.ContainsFunc(loads.FindAllSubmatch(data, maxLoads), func(m [][]byte) bool {
			return missing(f, string(m[1])) != ""
		})
	}
	byHome := map[string]map[string]*missingPackage{}
	optional := map[string]bool{} // scopes of which a package is loaded in a try block
	for t := range r.Trees(ctx, maybe, inspect.Scripts...) {
		home, _ := homeOf(declared, t.File.Dir())
		seen := map[string]bool{}
		for _, im := range imports.Of(t) {
			// Skip a package that is loaded in a try block, because it is optional. Skip one that is loaded for a call of
			// factory, because only one of several module loaders runs this call.
			name := missing(t.File, im.Module)
			tried := im.Node.IsCall() && im.Node.Around("try_statement").OK()
			if scope, _, ok := strings.Cut(name, "/"); ok && tried {
				optional[scope] = true
			}
			if name == "" || seen[name] || tried || im.Node.IsCall() &&
				im.Node.Around("call_expression").Callee() == "factory" {
				continue
			}
			seen[name] = true
			if byHome[home] == nil {
				byHome[home] = map[string]*missingPackage{}
			}
			if x := byHome[home][name]; x != nil {
				x.files++
			} else {
				byHome[home][name] = &missingPackage{name: name, file: t.File, text: t.Text, line: im.Line, files: 1}
			}
		}
	}
	for _, missing := range byHome {
		maps.DeleteFunc(missing, func(name string, _ *missingPackage) bool {
			scope, _, ok := strings.Cut(name, "/")
			return ok && optional[scope]
		})
	}
	return byHome
}

func (x *missingPackage) finding(r *inspect.Repo, home string) inspect.Finding {
	manifest := path.Join(home, "package.json")
	f := inspect.Finding{
		Severity: inspect.Medium, Path: x.file.Path, Line: x.line, Same: home + " " + x.name,
		Title:    fmt.Sprintf("%s is imported and not declared in package.json", x.name),
		Evidence: inspect.Line(x.text, x.line),
		Why:      "It is installed only as long as another dependency requires it.",
		Advice:   fmt.Sprintf("Add %s to the dependencies in %s.", x.name, manifest),
	}
	if x.files > 1 {
		more := fmt.Sprintf("%d more files", x.files-1)
		if x.files == 2 {
			more = "1 more file"
		}
		f.Evidence = inspect.Clip(f.Evidence, 400) + " (and in " + more + ")"
	}
	lock, at := lockAbove(r, home)
	if lock != nil && lock.lacks(strings.TrimPrefix(strings.TrimPrefix(home, at.Dir()), "/"), x.name) {
		f.Severity = inspect.High
		f.Why = fmt.Sprintf("%s does not have it either, so the import fails after a clean install.", at.Path)
	}
	return f
}

// untyped returns the package that an @types package describes.
func untyped(name string) string {
	rest, ok := strings.CutPrefix(name, "@types/")
	if !ok {
		return name
	}
	if scope, pkg, ok := strings.Cut(rest, "__"); ok {
		return "@" + scope + "/" + pkg
	}
	return rest
}

func homeOf(declared map[string]map[string]bool, dir string) (string, bool) {
	for _, d := range inspect.Upward(dir) {
		if declared[d] != nil {
			return d, true
		}
	}
	return "", false
}

func known(declared map[string]map[string]bool, dir, name string) bool {
	for _, d := range inspect.Upward(dir) {
		if declared[d][name] {
			return true
		}
	}
	return false
}

// longLine reports whether a script has a line of more than 2000 bytes, which only a program writes.
func longLine(data []byte) bool {
	for line := range bytes.Lines(data) {
		if len(line) > 2000 {
			return true
		}
	}
	return false
}

var configFile = inspect.Pattern(`(^|[._-])(config|rc|conf)\b|^(tsconfig|jsconfig|webpack|rollup|vite|vitest|babel|` +
	`metro|craco|deno|import_?map|angular|project|nuxt|next|snowpack|gulpfile|gruntfile|karma|\.babelrc|\.eslintrc|moon|` +
	`component|bower|esbuild|build|tsup)`)

// aliasText returns the texts of all files that can declare an alias: settings of bundlers and
// compilers, import maps, ambient modules and package.json files.
func aliasText(ctx context.Context, r *inspect.Repo, home string) []byte {
	var out bytes.Buffer
	for i := range r.Files {
		f := &r.Files[i]
		if ctx.Err() != nil || f.Vendored && !strings.HasSuffix(f.Path, ".d.ts") ||
			strings.Contains(f.Path, "node_modules/") || home != "" && !strings.HasPrefix(f.Path, home+"/") &&
			f.Dir() != "" && !strings.HasPrefix(home, f.Dir()+"/") {
			continue
		}
		base := strings.ToLower(f.Base())
		ext := path.Ext(base)
		switch {
		case ext == ".json" && (configFile.MatchString(base) || base == "package.json"), base == ".babelrc",
			ext != ".json" && script(f) && configFile.MatchString(base),
			strings.HasSuffix(base, ".d.ts"), ext == ".html":
			if data, ok := r.Text(f.Path); ok && out.Len() < 8<<20 {
				out.Write(data)
				out.WriteByte('\n')
			}
		}
	}
	return out.Bytes()
}

// aliased reports whether an imported name may mean something other than a package: the settings mention it, or a
// script of the repository has the name, or a folder with scripts.
func aliased(r *inspect.Repo, home, name string, settings []byte) bool {
	first, _, _ := strings.Cut(name, "/")
	for _, q := range []string{`"`, `'`, "`"} {
		for _, word := range []string{name, first} {
			if word[0] == '@' && word == first && first != name {
				for _, end := range []string{"", "/*", "/"} {
					if bytes.Contains(settings, []byte(q+word+end+q)) {
						return true
					}
				}
				continue
			}
			for _, end := range []string{q, "/", "$"} {
				if bytes.Contains(settings, []byte(q+word+end)) {
					return true
				}
			}
		}
	}
	if regexp.MustCompile(`(?m)(?:^|[{,\s])['"]?` + regexp.QuoteMeta(first) + `['"]?\s*:`).Match(settings) {
		return true
	}
	for i := range r.Files {
		// A bundler may look for modules in any folder.
		p := strings.TrimPrefix(r.Files[i].Path, home)
		if script(&r.Files[i]) && (strings.Contains("/"+p, "/"+first+"/") ||
			strings.TrimSuffix(strings.TrimSuffix(path.Base(p), path.Ext(p)), ".d") == first) {
			return true
		}
	}
	return false
}

// script reports whether a file is JavaScript or TypeScript.
func script(f *inspect.File) bool {
	switch path.Ext(f.Path) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return !strings.HasSuffix(f.Path, ".d.ts") && !strings.HasSuffix(f.Path, ".min.js")
	}
	return false
}
