package cartographer

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Limits of a custom: at least customNames names, of which at least customTenth in ten follow one style.
const (
	customNames = 12
	customTenth = 9
)

func oddNames() inspect.Check {
	return inspect.Check{
		ID: "cartographer/odd-name", Hero: hero,
		Looks: "source files whose names break the custom of their folder or of the repository, where nine of ten of at least twelve follow it",
		Rule:  "Always low.",
		Run:   runOddNames,
	}
}

var (
	snake  = inspect.Pattern(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)
	kebab  = inspect.Pattern(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)
	camel  = inspect.Pattern(`^[a-z][a-z0-9]*([A-Z][a-z0-9]*)+$`)
	pascal = inspect.Pattern(`^[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+$`)
	// fixed matches names that a tool or a convention prescribes. They count neither for nor against a custom.
	fixed = inspect.Pattern(`^(use|with)[A-Z]|^[vw]ite-env|^next-env|^service-worker|^react-app-env|^global|^not-found|^(jest|vitest|karma|cypress|test)[-_.]|^(setup|conf|manage|main|index|doc|readme|makefile)([-_.]|$)|^reportWebVitals|^setup(Tests|Proxy)|^\d`)
)

// scripts matches folders of programs that people run by name and never import.
var scripts = inspect.Pattern(`(?i)(^|/)(scripts?|bin|tools?|hack|ci|\.\w+|misc|utils?/bin)(/|$)`)

// styleOf returns the style of a name that has several words, such as "camelCase". It returns "" for a name of one word
// and for a name in no known style.
func styleOf(p string) string {
	stem := path.Base(p)
	if path.Ext(p) == ".go" {
		stem = plainStem(strings.TrimSuffix(strings.TrimSuffix(stem, ".go"), "_test") + ".go")
	}
	stem, _, _ = strings.Cut(stem, ".")
	stem = strings.TrimSuffix(stem, "_test")
	switch {
	case fixed.MatchString(stem), copiedNames.MatchString(path.Base(p)):
		return ""
	case snake.MatchString(stem):
		return "snake_case"
	case kebab.MatchString(stem):
		return "kebab-case"
	case camel.MatchString(stem):
		return "camelCase"
	case pascal.MatchString(stem):
		return "PascalCase"
	}
	return ""
}

// byType lists languages in which a file is named after the type or module in it.
var byType = []string{"Java", "Kotlin", "Scala", "C#", "Haskell", "Elixir", "Swift", "PHP"}

type named struct {
	f     *inspect.File
	style string
}

func runOddNames(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	folders, whole := map[string][]named{}, map[string][]named{}
	var keys []string
	for i := range r.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &r.Files[i]
		if f.Vendored || f.Test || !slices.Contains(codeLangs, f.Lang) || slices.Contains(byType, f.Lang) || !committed(r, f) || copyFolders.MatchString(f.Path) {
			continue
		}
		if strings.HasPrefix(f.Base(), "_") {
			continue // a helper, or a part that a tool joins with others
		}
		style := styleOf(f.Path)
		if style == "" || scripts.MatchString(f.Dir()) || !r.Own(f) {
			continue
		}
		key := f.Dir() + "\x00" + path.Ext(f.Path)
		if folders[key] == nil {
			keys = append(keys, key)
		}
		folders[key] = append(folders[key], named{f, style})
		whole[path.Ext(f.Path)] = append(whole[path.Ext(f.Path)], named{f, style})
	}
	slices.Sort(keys)
	rest := map[string]*oddGroup{} // by extension, the names that break the repository's custom
	var exts []string
	for _, key := range keys {
		dir, ext, _ := strings.Cut(key, "\x00")
		local, where := folders[key], "the folder"
		style, n := custom(local)
		of := len(local)
		if style == "" && len(local) < customNames {
			style, n = custom(whole[ext])
			of, where = len(whole[ext]), "the repository"
			// Skip a folder in which at most half of the names follow the repository's custom, because it may have a
			// custom of its own.
			if of := having(local, style); of*2 <= len(local) && len(local) > 1 {
				continue
			}
		}
		if style == "" {
			continue
		}
		var odd []string
		for _, x := range local {
			if x.style != style && !byContent(ext, x.style, style) {
				odd = append(odd, x.f.Path)
			}
		}
		if len(odd) == 0 {
			continue
		}
		if where != "the folder" {
			if rest[ext] == nil {
				rest[ext] = &oddGroup{style, n, of, "the repository", ext, nil}
				exts = append(exts, ext)
			}
			rest[ext].odd = append(rest[ext].odd, odd...)
			continue
		}
		g := oddGroup{style, n, of, folderName(dir), ext, odd}
		g.tell(report)
	}
	for _, ext := range exts {
		rest[ext].tell(report)
	}
	return nil
}

// oddGroup holds the names that break one custom of style.
type oddGroup struct {
	style string
	n, of int // n of all "of" names follow the custom
	where string
	ext   string
	odd   []string
}

func (g *oddGroup) tell(report func(inspect.Finding)) {
	title := fmt.Sprintf("%s is not written in %s like the others", short(path.Base(g.odd[0])), g.style)
	if len(g.odd) > 1 {
		title = fmt.Sprintf("%d names in %s are not written in %s like the others", len(g.odd), short(g.where), g.style)
	}
	report(inspect.Finding{
		Severity: inspect.Low, Title: title, Path: g.odd[0],
		Evidence: fmt.Sprintf("%s; %d of %d %s names of several words in %s are %s", some(g.odd, 5), g.n, g.of, g.ext, g.where, g.style),
		Why:      "Whoever knows the custom types the wrong name, and lists look like those of two projects.",
		Advice:   "Rename it with git mv and correct the imports, before more files follow it.",
		Same:     "not " + g.style + g.ext,
	})
}

// byContent reports whether two styles belong to one custom. A JavaScript file is often named after its content: in
// PascalCase after a class, in camelCase after a function.
func byContent(ext, a, b string) bool {
	cases := a == "camelCase" && b == "PascalCase" || a == "PascalCase" && b == "camelCase"
	return cases && strings.ContainsAny(ext[1:], "jtvs") // .js, .ts, .vue, .svelte and variants
}

func folderName(dir string) string {
	if dir == "" {
		return "the root"
	}
	return path.Base(dir)
}

// custom returns the style that is a custom among the names, and the number of names that follow it. It returns "" if
// no style is a custom.
func custom(names []named) (style string, n int) {
	if len(names) < customNames {
		return "", 0
	}
	for _, s := range []string{"snake_case", "kebab-case", "camelCase", "PascalCase"} {
		if n := having(names, s); n*10 >= len(names)*customTenth {
			return s, n
		}
	}
	return "", 0
}

func having(names []named, style string) (n int) {
	for _, x := range names {
		if x.style == style {
			n++
		}
	}
	return n
}
