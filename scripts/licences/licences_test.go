package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const gpl = `This program is free software: you can redistribute it and/or modify it under the terms of the GNU General
Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any
later version.
`

func TestWhatMayBeLinked(t *testing.T) {
	mit, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		text  string
		wrong bool
	}{
		{"ours", string(mit), false},
		{"copyleft", gpl, true},
		{"words of somebody", "You may do with this what you want on Sundays.\n", true},
		{"none", "", true},
		{"documents under another one", string(mit) + "\nDocumentation in this project (excluding specifications) is licensed " +
			"under\nCC-BY-4.0. See https://creativecommons.org/licenses/by/4.0/legalcode for\nthe full text.\n", false},
		{"another one, not said of what", string(mit) + "\nThis project is licensed under\nCC-BY-4.0. " +
			"See https://creativecommons.org/licenses/by/4.0/legalcode for\nthe full text.\n", true},
	} {
		p := part{name: tc.name, licences: licencesIn([]byte(tc.text))}
		if why := p.wrong(); (why != "") != tc.wrong {
			t.Errorf("%s: %q, %q", tc.name, p.licences, why)
		}
	}
}

// If each linked file of a module names its licence, the module has the licences that the linked
// files name. If one linked file names none, the module has the licences of all its texts.
func TestModuleOfTwoLicences(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mit, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	write("LICENSE.MIT", string(mit))
	write("LICENSE.GPL", gpl)
	free := write("a.go", "// SPDX-License-Identifier: MIT\n\npackage x\n")
	bound := write("b.go", "// SPDX-License-Identifier: GPL-3.0-or-later\n\npackage x\n")
	silent := write("c.go", "package x\n")
	for _, tc := range []struct {
		files []string
		wrong bool
	}{
		{[]string{free}, false}, {[]string{free, bound}, true}, {[]string{free, silent}, true},
	} {
		p, err := (&module{path: "x", dir: dir, files: tc.files}).part()
		if err != nil || (p.wrong() != "") != tc.wrong {
			t.Errorf("%q: %+v, %v", tc.files, p, err)
		}
	}
}

// The program has only parts with permitted licences, and the list of parts has parts of every origin: Go, modules,
// packages of the page and copied tables.
func TestProgramIsLinkedFromWhatMayBe(t *testing.T) {
	linked, err := goParts("../..")
	if err != nil {
		t.Fatal(err)
	}
	bundled, err := pageParts("../../client")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range slices.Concat(linked, bundled) {
		names = append(names, p.name)
		if why := p.wrong(); why != "" {
			t.Error(why)
		}
	}
	for _, name := range []string{"go", "modernc.org/sqlite", "golang.org/x/time", "preact", tables[1].name} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not in the list", name)
		}
	}
	if slices.Contains(names, "typescript") {
		t.Error("typescript is listed, which only builds the page")
	}
}
