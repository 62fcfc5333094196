package structure

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

const mod = "module example.com/m\n\ngo 1.24\n"

// files returns the union of maps of files, with a go.mod.
func files(list ...map[string]string) map[string]string {
	out := map[string]string{"go.mod": mod}
	for _, m := range list {
		for p, text := range m {
			out[p] = text
		}
	}
	return out
}

// of returns the checks of a hero.
func of(hero string) []inspect.Check {
	return slices.DeleteFunc(Checks(), func(c inspect.Check) bool { return c.Hero != hero })
}

func TestCycles(t *testing.T) {
	inspecttest.Corpus(t, of("architect"), map[string]inspecttest.Facts{
		"architect/go-cycle":     goCycleFacts,
		"architect/script-cycle": scriptCycleFacts,
		"architect/python-cycle": pythonCycleFacts,
	})
}

var goCycleFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "two", Files: files(map[string]string{
			"a/a.go": "package a\n\nimport \"example.com/m/b\"\n\nvar A = b.B\n",
			"b/b.go": "package b\n\nimport \"example.com/m/a\"\n\nvar B = a.A\n",
		}), Want: []string{"a/a.go:3 high"}},
		{Name: "three, one of them the root", Files: files(map[string]string{
			"m.go":   "package m\nimport _ \"example.com/m/a\"\n",
			"a/a.go": "package a\nimport _ \"example.com/m/b\"\n",
			"b/b.go": "package b\nimport (\n\t_ \"fmt\"\n\t_ \"example.com/m\"\n)\n",
		}), Want: []string{"m.go:2 high"}},
		{Name: "in a second module", Files: files(map[string]string{
			"sub/go.mod":   "module example.com/sub\n",
			"sub/a/a.go":   "package a\nimport _ \"example.com/sub/b\"\n",
			"sub/b/b.go":   "package b\nimport _ \"example.com/sub/a\"\n",
			"sub/c/c.go":   "package c\nimport _ \"example.com/sub/a\"\n",
			"other/o.go":   "package other\n",
			"other/o2.txt": "import _ \"example.com/m/other\"",
		}), Want: []string{"sub/a/a.go:2 high"}},
	},
	Silent: []inspecttest.Case{
		{Name: "tests close the circle", Files: files(map[string]string{
			"a/a.go":      "package a\nimport _ \"example.com/m/b\"\n",
			"b/b.go":      "package b\n",
			"b/b_test.go": "package b_test\nimport _ \"example.com/m/a\"\n",
		})},
		{Name: "files of two systems", Files: files(map[string]string{
			"a/a_linux.go":   "package a\nimport _ \"example.com/m/b\"\n",
			"b/b_windows.go": "package b\nimport _ \"example.com/m/a\"\n",
			"b/b.go":         "package b\n",
		})},
		{Name: "a generator of its own package", Files: files(map[string]string{
			"a/gen.go": "//go:build ignore\n\npackage main\nimport _ \"example.com/m/b\"\n",
			"a/a.go":   "package a\n",
			"b/b.go":   "package b\nimport _ \"example.com/m/a\"\n",
		})},
		{Name: "in a comment and a string", Files: files(map[string]string{
			"a/a.go": "package a\nimport _ \"example.com/m/b\"\n",
			"b/b.go": "package b\n// import \"example.com/m/a\"\nconst S = `import \"example.com/m/a\"`\n",
		})},
		{Name: "vendored", Files: files(map[string]string{
			"vendor/example.com/m/a/a.go": "package a\nimport _ \"example.com/m/b\"\n",
			"b/b.go":                      "package b\nimport _ \"example.com/m/a\"\n",
		})},
	},
}

var scriptCycleFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "a class extends one of the circle", Files: map[string]string{
			"src/shape.ts":  "import { Circle } from './circle';\nexport class Shape { static round() { return new Circle(); } }\n",
			"src/circle.ts": "import { Shape } from './shape';\nexport class Circle extends Shape {}\n",
		}, Want: []string{"src/circle.ts:1 medium candidate"}},
		{Name: "a default export", Files: map[string]string{
			"lib/a.js": "'use strict';\nimport b from './b.js';\nexport default class A { f() { return b; } }\n",
			"lib/b.js": "import A from './a.js';\nexport default class B extends A {}\n",
		}, Want: []string{"lib/a.js:2 medium candidate"}},
		{Name: "a class of a module, three files", Files: map[string]string{
			"a.js": "import { b } from './b.js';\nexport class A { f() { return b; } }\n",
			"b.js": "import { C } from './c.js';\nexport const b = () => new C();\n",
			"c.js": "import * as a from './a.js';\nexport class C extends a.A {}\n",
		}, Want: []string{"a.js:1 medium candidate"}},
	},
	Silent: []inspecttest.Case{
		{Name: "nothing is needed while they load", Files: map[string]string{
			"src/a.js": "// a\nimport { b } from './b';\nexport const a = () => b();\n",
			"src/b.js": "import { a } from \"./a.js\";\nexport const b = () => a();\n",
		}},
		{Name: "through the index", Files: map[string]string{
			"src/index.ts": "export * from './a';\nexport * from './b';\n",
			"src/a.ts":     "import { b } from '.';\nexport function a() { return b(); }\n",
			"src/b.ts":     "export function b() { return 1; }\n",
		}},
		{Name: "a file that sets the order", Files: map[string]string{
			"src/internals.js": "export * from './shape.js';\nexport * from './circle.js';\n",
			"src/shape.js":     "import { Circle } from './internals.js';\nexport class Shape { static round() { return new Circle(); } }\n",
			"src/circle.js":    "import { Shape } from './internals.js';\nexport class Circle extends Shape {}\n",
		}},
		{Name: "types only", Files: map[string]string{
			"a.ts": "import type { B } from './b';\nexport interface A { b: B }\n",
			"b.ts": "import { type A } from './a';\nexport interface B { a: A }\nexport type { A } from './a';\n",
			"c.ts": "import { D } from './d';\nexport class C { d?: D; f(d: D): D[] { return [d as D]; } }\n",
			"d.ts": "import { C } from './c';\nexport class D { c = new C(); }\n",
		}},
		{Name: "on demand", Files: map[string]string{
			"a.js": "export async function a() { const { b } = await import('./b.js'); return b(); }\n",
			"b.js": "import { a } from './a.js';\nexport class b extends a {}\n",
			"c.js": "module.exports = () => { const d = require('./d'); return d; };\n",
			"d.js": "const c = require('./c');\nmodule.exports = class extends c {};\n",
		}},
		{Name: "in comments, strings and templates", Files: map[string]string{
			"a.js": "import { b } from './b.js';\nexport class a extends b {}\n",
			"b.js": "// import { a } from './a.js';\n/*\nimport './a.js';\n*/\nexport const b = `\nimport './a.js';\nrequire('./a.js')\n`;\nexport const s = \"import './a.js'\";\n",
		}},
		{Name: "tests and fixtures", Files: map[string]string{
			"test/fixtures/circle/a.js": "import './b.js';\n",
			"test/fixtures/circle/b.js": "import './a.js';\n",
			"src/a.js":                  "export const a = 1;\n",
			"src/a.test.js":             "import { a } from './a.js';\nimport './a.test.js';\n",
		}},
		{Name: "what a program wrote", Files: map[string]string{
			"lib/generated/a.js": "const b = require('../b');\nmodule.exports = b;\n",
			"lib/b.js":           "const a = require('./generated/a');\nmodule.exports = class extends a {};\n",
		}},
		{Name: "a package of the same name", Files: map[string]string{
			"a.js": "import b from 'b';\nexport default class extends b {}\n",
			"b.js": "import a from './a.js';\nexport default a;\n",
		}},
	},
}

var pythonCycleFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "names both ways", Files: map[string]string{
			"pkg/__init__.py": "",
			"pkg/a.py":        "\"\"\"A.\"\"\"\nfrom .b import f\n\ndef g():\n    return f()\n",
			"pkg/b.py":        "from pkg.a import g\n\ndef f():\n    return g()\n",
		}, Want: []string{"pkg/a.py:2 medium candidate"}},
		{Name: "three in a package below", Files: map[string]string{
			"src/pkg/__init__.py":     "",
			"src/pkg/sub/__init__.py": "",
			"src/pkg/sub/a.py":        "from .b import y\n",
			"src/pkg/sub/b.py":        "from ..c import (\n    x,\n    y,\n)\n",
			"src/pkg/c.py":            "from .sub.a import z\n",
		}, Want: []string{"src/pkg/c.py:1 medium candidate"}},
		{Name: "by the name of the package", Files: map[string]string{
			"pkg/__init__.py": "",
			"pkg/a.py":        "import os\nfrom pkg.b import B\nclass A(B): pass\n",
			"pkg/b.py":        "from pkg.a import A\nclass B: pass\n",
		}, Want: []string{"pkg/a.py:2 medium candidate"}},
	},
	Silent: []inspecttest.Case{
		{Name: "one way takes the module", Files: map[string]string{
			"pkg/__init__.py": "",
			"pkg/a.py":        "import pkg.b\n",
			"pkg/b.py":        "from pkg.a import g\n",
		}},
		{Name: "imports below the definitions, an __init__ in it", Files: map[string]string{
			"pkg/__init__.py":     "",
			"pkg/a.py":            "class A: pass\n\nfrom .b import B\n",
			"pkg/b.py":            "from .a import A\nclass B(A): pass\n",
			"pkg/sub/__init__.py": "from .c import c\n",
			"pkg/sub/c.py":        "from ..d import d\n",
			"pkg/d.py":            "from .sub import c\n",
		}},
		{Name: "in functions and for types", Files: map[string]string{
			"pkg/__init__.py": "",
			"pkg/a.py":        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .b import B\n",
			"pkg/b.py":        "from .a import A\n\ndef f():\n    from .c import C\n",
			"pkg/c.py":        "from . import b\n",
		}},
		{Name: "the package's own names", Files: map[string]string{
			"pkg/__init__.py": "__version__ = \"1\"\nfrom .a import A\n",
			"pkg/a.py":        "from . import __version__\nfrom pkg import __version__ as v\nclass A: pass\n",
		}},
		{Name: "in a text", Files: map[string]string{
			"pkg/__init__.py": "",
			"pkg/a.py":        "from . import b\n",
			"pkg/b.py":        "DOC = \"\"\"\nfrom . import a\nimport pkg.a\n\"\"\"\n# from . import a\n",
		}},
		{Name: "a library of the same name", Files: map[string]string{
			"pkg/__init__.py": "",
			"pkg/logging.py":  "import logging\nfrom pkg.json import dumps\n",
			"pkg/json.py":     "import json\nimport logging\n",
		}},
	},
}

// TestHostileImports asserts that the checks end soon on input made to be slow.
func TestHostileImports(t *testing.T) {
	var chain = map[string]string{"go.mod": mod}
	for i := range 3000 {
		chain[fmt.Sprintf("p%d/p.go", i)] = fmt.Sprintf("package p%d\nimport _ \"example.com/m/p%d\"\n", i, (i+1)%3000)
		chain[fmt.Sprintf("s%d.js", i)] = fmt.Sprintf("import './s%d.js';\n", (i+1)%3000)
	}
	for name, f := range map[string]map[string]string{
		"a long circle": chain,
		"many imports":  {"a.ts": strings.Repeat("import ", 140_000), "b.ts": "import {" + strings.Repeat("a,", 8000) + "} from './a';\n" + strings.Repeat("a b ", 200_000)},
		"many brackets": {"a.js": strings.Repeat("{[(", 300_000) + "import './b.js'", "b.py": strings.Repeat("from . import (\n", 60_000)},
		"odd bytes":     {"a.py": "from .\u2028 import \u00e9\nimport ,,,\nfrom .... import a\n", "b.ts": "import 'é\u2028'\nimport * as \U0001f600 from './b'\nexport * from '../../../..'\n"},
	} {
		repo := inspecttest.Case{Files: f}.Repo()
		t.Run(name, func(t *testing.T) { inspecttest.Endure(t, repo, Checks()) })
	}
}
