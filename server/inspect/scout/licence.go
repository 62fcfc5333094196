package scout

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"

	"github.com/google/licensecheck"
)

func licence(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	return each(ctx, r, report, licenceMissing, licenceContradicts, licenceCopyleft)
}

var licenceName = inspect.Pattern(`(?i)^((un)?licen[sc]es?|copying|copyright|legal|(mit|apache|bsd|gpl|lgpl|mpl|isc)[-_.]?(2\.0[-_.]?)?licen[sc]e)([-_. ].*)?$|(?i)[-_.]licen[sc]e(\.(md|txt|rst|markdown))?$`)

// licenceFiles returns the files directly in a folder whose names are those of licence texts.
func licenceFiles(r *inspect.Repo, dir string) []*inspect.File {
	var out []*inspect.File
	for _, f := range r.In(dir) {
		switch path.Ext(f.Path) {
		case ".go", ".js", ".ts", ".py", ".json", ".yml", ".yaml", ".toml", ".sh", ".html", ".rs", ".java", ".tmpl", ".tpl", ".xml", ".csv":
			continue
		}
		if licenceName.MatchString(f.Base()) {
			out = append(out, f)
		}
	}
	return out
}

// terms returns the licences whose texts a file contains. sure is set if the licence texts cover at least three
// quarters of the file.
func terms(r *inspect.Repo, f *inspect.File) (ids []string, sure bool) {
	data, ok := r.Text(f.Path)
	if !ok || len(data) > 200<<10 {
		return nil, false
	}
	cov := licensecheck.Scan(data)
	for _, m := range cov.Match {
		if !m.IsURL && !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	return ids, len(ids) > 0 && cov.Percent >= 75
}

// licenceMissing reports a repository with source code and without a licence text at its root.
func licenceMissing(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	if len(licenceFiles(r, "")) > 0 || r.HasDir("LICENSES") || r.HasDir("licenses") || r.HasDir("LICENSE") || r.HasDir("license") {
		return nil
	}
	source := 0
	for i := range r.Files {
		if f := &r.Files[i]; inspect.IsCode(f.Lang) && !f.Vendored && !f.Test {
			source++
		}
	}
	if source < 3 {
		return nil
	}
	f := inspect.Finding{
		Severity: inspect.Low, Same: "missing",
		Title:    "There is no licence file at the root",
		Evidence: fmt.Sprintf("%d source files, no LICENSE, LICENCE or COPYING", source),
		Why:      "Without a licence nobody else may copy, change or ship the code, whatever its authors wish.",
		Advice:   "Add a LICENSE file with the terms that the authors want; a closed project can say so in it.",
	}
	if m := r.File("package.json"); m != nil {
		if pkg := readManifest(r, m); pkg != nil {
			if pkg.Private && pkg.License == "" || strings.EqualFold(pkg.License, "UNLICENSED") {
				return nil // the project says that it is closed
			}
			if spdx(pkg.License) != nil {
				f.Title = fmt.Sprintf("package.json says %s, and no file has its text", inspect.Clip(pkg.License, 40))
				f.Why = "These licences ask that their text goes along with every copy, and there is none to go along."
				f.Advice = "Add the text of the licence as LICENSE."
			}
		}
	}
	for _, doc := range r.In("") {
		if !strings.HasPrefix(strings.ToLower(doc.Base()), "readme") {
			continue
		}
		data, ok := r.Text(doc.Path)
		if !ok {
			continue
		}
		if closed.Match(data) {
			return nil
		}
		if ids, _ := terms(r, doc); len(ids) > 0 {
			return nil // the readme contains the text
		}
	}
	report(f)
	return nil
}

// closed matches texts which say that others may not use the code.
var closed = inspect.Pattern(`(?i)\b(proprietary|all rights reserved|internal use only|confidential)\b`)

// licenceContradicts reports manifests that name another licence than the licence text in the same folder.
func licenceContradicts(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	for i := range r.Files {
		f := &r.Files[i]
		if base := f.Base(); base != "package.json" && base != "composer.json" && base != "Cargo.toml" || !counted(f) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		said, line := manifestLicence(r, f)
		named := spdx(said)
		if named == nil {
			continue
		}
		var have, files []string
		sure := true
		for _, l := range licenceFiles(r, f.Dir()) {
			ids, ok := terms(r, l)
			sure = sure && ok
			files = append(files, l.Path)
			for _, id := range ids {
				have = append(have, family(id))
			}
		}
		if !sure || len(have) == 0 || slices.ContainsFunc(have, func(id string) bool { return slices.Contains(named, id) }) {
			continue
		}
		data, _ := r.Text(f.Path)
		report(inspect.Finding{
			Severity: inspect.Medium, Path: f.Path, Line: line, Same: "contradiction",
			Title:    fmt.Sprintf("%s says %s, and %s is %s", f.Base(), inspect.Clip(said, 30), path.Base(files[0]), have[0]),
			Evidence: inspect.Line(data, line),
			Why:      "Tools and people read one or the other, and nobody knows which terms apply.",
			Advice:   fmt.Sprintf("Find out which is meant and change %s or %s.", f.Path, files[0]),
		})
	}
	return nil
}

var (
	jsonLicence = inspect.Pattern(`^\s*"license"\s*:`)
	tomlLicence = inspect.Pattern(`^license\s*=\s*"([^"]+)"`)
)

// manifestLicence returns the licence that a manifest names, and the line on which the manifest names it.
func manifestLicence(r *inspect.Repo, f *inspect.File) (said string, line int) {
	switch f.Base() {
	case "package.json":
		if m := readManifest(r, f); m != nil {
			said = m.License
		}
	case "composer.json":
		data, _ := r.Text(f.Path)
		var fields struct{ License string }
		if json.Unmarshal(data, &fields) == nil {
			said = fields.License
		}
	case "Cargo.toml":
		data, _ := r.Text(f.Path)
		for n, text := range inspect.Lines(data) {
			if m := tomlLicence.FindStringSubmatch(text); m != nil {
				return m[1], n
			}
		}
		return "", 0
	}
	if said == "" {
		return "", 0
	}
	data, _ := r.Text(f.Path)
	for n, text := range inspect.Lines(data) {
		if jsonLicence.MatchString(text) {
			return said, n
		}
	}
	return said, 0
}

var spdxID = inspect.Pattern(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`)

// spdx returns the licences in an SPDX expression. It returns nil if one of them is not in knownLicences,
// or if the expression names none ("UNLICENSED", "SEE LICENSE IN x", "Custom").
func spdx(expr string) []string {
	var out []string
	for word := range strings.FieldsSeq(strings.NewReplacer("(", " ", ")", " ", "/", " ").Replace(expr)) {
		switch strings.ToUpper(word) {
		case "OR", "AND":
			continue
		case "SEE", "WITH", "UNLICENSED", "NONE", "CUSTOM", "COMMERCIAL", "PROPRIETARY":
			return nil
		}
		if !spdxID.MatchString(word) {
			return nil
		}
		id := family(word)
		if !knownLicences[strings.TrimRight(id, "0123456789.")] {
			return nil // its text is not recognised well
		}
		out = append(out, id)
	}
	return out
}

// knownLicences lists the licences whose texts the library recognises well. The names are without versions.
var knownLicences = map[string]bool{"MIT": true, "Apache-": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "ISC": true, "MPL-": true, "GPL-": true, "LGPL-": true, "AGPL-": true, "Unlicense": true}

// family returns the name of a licence without the parts that cannot be told from the licence's text.
func family(id string) string {
	id = strings.TrimSuffix(id, "+")
	for _, end := range []string{"-only", "-or-later", "-no-copyleft-exception", "-FreeBSD", "-NetBSD", "-Views", "-Clear", "-Modification", "-Attribution"} {
		id = strings.TrimSuffix(id, end)
	}
	for _, known := range []string{"MIT", "ISC", "Unlicense"} {
		if strings.EqualFold(id, known) {
			return known
		}
	}
	return id
}

// licenceCopyleft reports folders under the GPL or AGPL inside a project under a permissive licence. It does not report
// the LGPL and the MPL, because they allow this.
func licenceCopyleft(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	var own []string
	for _, f := range licenceFiles(r, "") {
		ids, sure := terms(r, f)
		if !sure || slices.ContainsFunc(ids, func(id string) bool { return !permissive.MatchString(id) }) {
			return nil
		}
		own = append(own, ids...)
	}
	if len(own) == 0 {
		return nil
	}
	for i := range r.Files {
		f := &r.Files[i]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f.Dir() == "" || f.Test || !licenceName.MatchString(f.Base()) || strings.HasPrefix(strings.ToLower(path.Base(f.Dir())), "licen") {
			continue
		}
		if !holdsCode(r, f.Dir()) {
			continue
		}
		var ids []string
		all := true
		for _, l := range licenceFiles(r, f.Dir()) {
			got, sure := terms(r, l)
			all = all && sure
			ids = append(ids, got...)
		}
		if !all || len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return !strings.HasPrefix(id, "GPL-") && !strings.HasPrefix(id, "AGPL-") }) {
			continue
		}
		if data, ok := r.Text(f.Path); !ok || exception.Match(data) {
			continue
		}
		report(inspect.Finding{
			Severity: inspect.Medium, Path: f.Path, Same: "copyleft " + ids[0],
			Title:    inspect.Clip(fmt.Sprintf("%s is under %s, the project under %s", f.Dir(), family(ids[0]), own[0]), 100),
			Evidence: fmt.Sprintf("%s: %s; licence of the repository: %s", f.Path, ids[0], strings.Join(own, ", ")),
			Why:      "Whoever ships both as one program must ship all of it under the terms of the stricter one, which the licence at the root does not say.",
			Advice:   "Remove the part, run it as a program of its own, or say at the root which terms apply to the whole.",
		})
	}
	return nil
}

// permissive matches licences under which code may become part of a program under another licence.
var permissive = inspect.Pattern(`^(MIT|Apache-|BSD-|0BSD|ISC|Unlicense|CC0-|Zlib|BSL-1)`)

var exception = inspect.Pattern(`(?i)(classpath|linking|runtime library|font|syscall) exception`)

// holdsCode reports whether a folder or a folder below it has source code.
func holdsCode(r *inspect.Repo, dir string) bool {
	i, _ := slices.BinarySearchFunc(r.Files, dir+"/", func(f inspect.File, p string) int { return strings.Compare(f.Path, p) })
	for ; i < len(r.Files) && strings.HasPrefix(r.Files[i].Path, dir+"/"); i++ {
		if inspect.IsCode(r.Files[i].Lang) {
			return true
		}
	}
	return false
}
