package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pageParts returns the packages that the page's bundle may contain: those that
// package-lock.json does not mark as dev. The licences of an installed package are the declared one
// and those in its licence files.
func pageParts(dir string) ([]part, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var parts []part
	for _, path := range slices.Sorted(maps.Keys(lock.Packages)) {
		at := strings.LastIndex(path, "node_modules/")
		p := lock.Packages[path]
		if at < 0 || p.Dev {
			continue
		}
		found := part{name: path[at+len("node_modules/"):], version: p.Version, from: "package-lock.json"}
		if p.License != "" {
			found.licences = []string{p.License}
		}
		if _, err := os.Stat(filepath.Join(dir, path)); err == nil {
			texts, names, err := licenceFiles(filepath.Join(dir, path))
			if err != nil {
				return nil, err
			}
			if len(names) > 0 {
				said := all(texts)
				if !slices.Contains(said, p.License) {
					return nil, fmt.Errorf("the package %s declares the licence %s, but its licence files have %q",
						found.name, p.License, said)
				}
				found.licences, found.from = said, strings.Join(names, ", ")
			}
		}
		parts = append(parts, found)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("package-lock.json lists only packages that are marked as dev")
	}
	return parts, nil
}
