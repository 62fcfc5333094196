package api

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var apiBreak = inspect.Check{
	ID: "warden/go-api-break", Hero: "warden", Since: true,
	Looks: "exported Go names that were removed or changed since the last version tag, or in a review of a change since " +
		"its base, in files that still exist",
	Rule: "High if the module is a library only, medium if it also has programs or if only code that " +
		"implements an interface breaks; low if no version from v1 on has the names. Left out: changes with " +
		"which every call still compiles, modules whose path has a new major version, and modules whose root is " +
		"a program; without a base also modules below v1 and after a pre-release.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		g := r.Go(ctx)
		mod := g.Modules[""]
		if r.History == nil || mod == nil || mod.Module == nil || !forOthers(mod.Module.Mod.Path) {
			return nil
		}
		if root := g.Packages[""]; root != nil && root.Name == "main" {
			return nil
		}
		tag, _, read, err := r.History.Tag(ctx)
		if err != nil {
			return fmt.Errorf("the last version tag could not be read: %w", err)
		}
		was := pastOf(r, tag, read)
		if was == nil || !was.names(mod.Module.Mod.Path) {
			return nil
		}
		programs := slices.ContainsFunc(slices.Collect(maps.Values(g.Packages)), func(p *inspect.GoPackage) bool {
			root, _ := g.Module(p.Dir)
			return root == "" && p.Name == "main" && !strings.Contains(p.Dir, "example") && !strings.Contains(p.Dir, "test")
		})
		err = was.packages(ctx, g, func(p *inspect.GoPackage, changes []change) {
			report(broken(p, was, changes, programs))
		})
		for _, p := range was.gone(g) {
			report(vanished(p, was, programs))
		}
		return err
	},
}

func broken(p *inspect.GoPackage, was *past, changes []change, programs bool) inspect.Finding {
	tag := was.name
	severity := was.severity(inspect.High, programs)
	why := fmt.Sprintf("Code that builds with %s does not build with this version, and an update under the "+
		"same import path brings this version.", tag)
	advice := "Keep the old form next to the new one and mark it as deprecated, or release this as the next major version."
	if !slices.ContainsFunc(changes, func(c change) bool { return !c.implementers }) {
		severity = was.severity(inspect.Medium, programs)
		why = fmt.Sprintf("Types of other modules, such as mocks and wrappers, implement the interface of %s and "+
			"not this one, and an update under the same import path brings this one.", tag)
		advice = "Put new methods into an interface of their own, or release this as the next major version."
	}
	if was.open {
		advice = "Name the change in the release notes. No version from v1 on promises these names yet."
	}
	var words []string
	for _, c := range changes {
		words = append(words, c.what)
	}
	shown := strings.Join(words[:min(len(words), 6)], "; ")
	if len(words) > 6 {
		shown += fmt.Sprintf("; and %d more", len(words)-6)
	}
	things := "things"
	if len(changes) == 1 {
		things = "thing"
	}
	return inspect.Finding{
		Severity: severity,
		Title:    fmt.Sprintf("%d exported %s of package %s changed against %s", len(changes), things, p.Name, tag),
		Path:     changes[0].path, Line: changes[0].line,
		Evidence: shown,
		Why:      why, Advice: advice,
		Same: "since " + tag,
	}
}

// vanished returns the finding about a package that does not exist any more.
func vanished(p *inspect.GoPackage, was *past, programs bool) inspect.Finding {
	return inspect.Finding{
		Severity: was.severity(inspect.High, programs), Path: "go.mod",
		Title:    inspect.Clip("The package "+p.Import+" is gone", 100),
		Evidence: fmt.Sprintf("%s has %s with the package %s.", was.name, was.left[p.Dir][0], p.Name),
		Why:      "Code of other modules that imports the package does not build with this version.",
		Advice: "Keep a package at the old path that calls the new one, or name the change in the release notes and " +
			"release it as the next major version.",
		Same: "gone " + p.Import,
	}
}
