package inspect

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestLanguageOfAProgram(t *testing.T) {
	for text, want := range map[string]string{
		"#!/usr/bin/python3\n":                                                         "Python",
		"#! /usr/bin/python3 -Es\n":                                                    "Python",
		"#!/usr/bin/env python3\r\n":                                                   "Python",
		"#!/usr/local/bin/python3.11":                                                  "Python",
		"#!/usr/bin/pypy3.9\n":                                                         "Python",
		"#!/usr/bin/env -S python3 -u\n":                                               "Python",
		"#!/usr/bin/env -vSpython3 -u\n":                                               "Python",
		"#!/usr/bin/env --split-string=python3 -u\n":                                   "Python",
		"#!/usr/bin/env -S -i PATH=/bin python2.7\n":                                   "Python",
		"#!/usr/bin/env -u PYTHONPATH python3\n":                                       "Python",
		"#!/usr/bin/env -S uv run --script\n":                                          "Python",
		"#!/usr/bin/env node\n":                                                        "JavaScript",
		"#!/usr/bin/nodejs --harmony\n":                                                "JavaScript",
		"#!/usr/bin/env -S deno run --allow-net\n":                                     "TypeScript",
		"#!/usr/bin/perl5.36.0 -w\n":                                                   "Perl",
		"#!/usr/bin/d8\n":                                                              "JavaScript",
		"#!/usr/bin/make -f\n":                                                         "Makefile",
		"#!/bin/bash\nexec python3 \"$DIR/a.py\"\n":                                    "Shell",
		"#!/bin/sh\nexec python3 a.py \"$0\"\n":                                        "Shell",
		"#!/bin/sh\nexec python3 \"`dirname $0`/a\"\n":                                 "Shell",
		"#!/bin/sh\n\nexec sudo \"$0\" \"$@\"\n":                                       "Shell",
		"#!/bin/sh\n'''exec' \"/opt/a/bin/python3\" \"$0\" \"$@\"\n' '''\nimport os\n": "Python",
		"#!/bin/sh\n# -*- mode: js -*-\n\":\" //# ; exec /usr/bin/env node --x \"$0\" \"$@\"\n": "JavaScript",
		"#!/bin/sh\n# \\\nexec tclsh ${0} \"$@\"\n":                                             "Tcl",
		"#!/bin/sh\n1\n2\n3\n4\n5\nexec python3 \"$0\"\n":                                       "Shell",
		"#!/bin/sh\n#" + strings.Repeat("a", shebangBytes) + "\nexec python3 \"$0\"\n":          "Shell",
		"": "", "#!": "", "#!\n": "", "#!/usr/bin/env": "", "#!/usr/bin/env -u\n": "", "#!/usr/bin/env -C a\n": "",
		"#!/opt/unknown\n": "", "#!@PYTHON@\n": "", " #!/bin/sh\n": "", "a\n#!/bin/sh\n": "",
	} {
		if got := languageOfProgram([]byte(text)); got != want {
			t.Errorf("%.60q is %q, want %q", text, got, want)
		}
	}
}

// counted is a file system that counts the bytes that are read of each file.
type counted struct {
	fs.FS
	read map[string]int
}

func (c counted) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	return countedFile{f, name, c.read}, err
}

type countedFile struct {
	fs.File
	name string
	read map[string]int
}

func (f countedFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.read[f.name] += n
	return n, err
}

// TestReadsTheHeadOfPrograms asserts that the text tells the language only where the name does not, and that New reads
// no more than the beginning of such a file.
func TestReadsTheHeadOfPrograms(t *testing.T) {
	program := "#!/usr/bin/python3\n" + strings.Repeat("a = 1\n", 10_000)
	want := map[string]string{
		"bin/tool": "Python", "bin/tool3.11": "Python", "www/a.cgi": "Python", "configure.in": "Python",
		"a.go": "Go", "Makefile": "Makefile", "node_modules/.bin/tool": "",
	}
	files, entries := fstest.MapFS{}, []Entry{{"gone", 9}}
	for p := range want {
		files[p] = &fstest.MapFile{Data: []byte(program)}
		entries = append(entries, Entry{p, int64(len(program))})
	}
	c := counted{files, map[string]int{}}
	r := New("r", c, entries, nil, time.Time{})
	for p, lang := range want {
		if got := r.File(p).Lang; got != lang {
			t.Errorf("%s is %q, want %q", p, got, lang)
		}
		if one := FileOf(p, []byte(program)); one.Lang != lang || one.Size != int64(len(program)) {
			t.Errorf("%s alone is %q with %d bytes, want %q", p, one.Lang, one.Size, lang)
		}
		most := 0
		if languageOf(p) == "" && lang != "" {
			most = shebangBytes
		}
		if c.read[p] > most {
			t.Errorf("%d bytes of %s were read", c.read[p], p)
		}
	}
	if got := r.File("gone").Lang; got != "" {
		t.Errorf("a file that cannot be read is %q", got)
	}
	before := c.read["bin/tool"]
	if got := r.Only([]string{"bin/tool"}).File("bin/tool").Lang; got != "Python" || c.read["bin/tool"] != before {
		t.Errorf("in a part of the repository the program is %q, and was read again: %v", got, c.read["bin/tool"] != before)
	}
	cover, err := r.Coverage(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range cover.Languages {
		if l.Lang == "Python" && l.Parsed.Files != 4 {
			t.Errorf("%d programs count as parsed, want 4", l.Parsed.Files)
		}
	}
}
