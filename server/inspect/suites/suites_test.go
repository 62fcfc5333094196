package suites

import (
	"maps"
	"strings"
	"testing"

	"agentdungeon/server/inspect/inspecttest"
)

func withMod(list ...map[string]string) map[string]string {
	out := map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n"}
	for _, f := range list {
		maps.Copy(out, f)
	}
	return out
}

func one(p, text string) map[string]string { return map[string]string{p: text} }

// goTestFile returns a package with a Go test file: a package clause, an import of testing, and body.
func goTestFile(body string) map[string]string {
	return withMod(map[string]string{"a/a.go": "package a\nfunc F() int { return 1 }\n", "a/a_test.go": "package a\n\nimport (\n\t\"testing\"\n)\n\n" + body})
}

func TestChecks(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"sage/cannot-fail": cannotFailFacts,
		"sage/never-runs":  neverRunsFacts,
	})
}

var cannotFailFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "a matcher that is not called", Files: one("a.test.ts", "it('a', () => {\n  expect(f()).toBe(1);\n  expect(g()).toBeNull;\n  expect(h()).not.toBeNull;\n});\n"), Want: []string{"a.test.ts:3 medium"}},
		{Name: "no matcher", Files: one("a.test.js", "it('a', () => {\n  expect(f() === 1);\n});\nit('b', async () => {\n  await expect(f())\n  expect(g()).toBe(2)\n});\n"), Want: []string{"a.test.js:2 medium"}},
		{Name: "python, a tuple", Files: one("test_a.py", "def test_a():\n    assert (f() == 1, \"one\")\n    assert (\n        g() == 2,\n        \"two\",\n    )\n"), Want: []string{"test_a.py:2 medium"}},
		{Name: "python, assertTrue for assertEqual", Files: one("test_a.py", "class A(TestCase):\n    def test_a(self):\n        self.assertTrue(len(f()), 3)\n"), Want: []string{"test_a.py:3 medium"}},
	},
	Silent: []inspecttest.Case{
		{Name: "javascript, as it should be", Files: one("a.test.ts",
			"import { expect } from 'chai';\nit('a', () => {\n  expect(f()).to.be.true;\n  expect(f())\n    .to.equal(1);\n  const e = expect(g());\n  expect(g()).resolves.toBe(1);\n  expect(() => {\n    f();\n  }).toThrow();\n});\n"+
				"// expect(x).toBeNull;\nconst s = `expect(x).toBeNull;`;\nit('b', () => { expect.assertions(1); f(() => { expect(true).toBe(true); }); });\n"+
				"it('c', () => { expect(true).toBe(false); });\nit('d', () => { expect(true).toBe(true); expect(f()).toBe(1); });\n")},
		{Name: "an expect of its own", Files: map[string]string{
			"a.test.js":       "import { expect } from './expect';\nit('a', () => { expect(f()); });\n",
			"b.test.js":       "function expect(x) { if (!x) throw x; }\nit('a', () => { expect(f()); });\n",
			"test/fixture.js": "it('a', () => { expect(f()); });\n",
		}},
		{Name: "python, as it should be", Files: one("test_a.py",
			"def test_a():\n    assert (a, b) == (1, 2)\n    assert (a ==\n            b), \"text\"\n    assert (f(a, b))\n    assert (yes and\n            no)\n    # assert (a, \"b\")\n    s = \"assert (a, b)\"\n    assert all(x for x in (1, 2))\n\n"+
				"class A(TestCase):\n    def test_b(self):\n        self.assertTrue(f(a, 3))\n        self.assertTrue(f(), \"text\")\n        self.assertTrue(f(), True)\n\n"+
				"def test_c():\n    try:\n        f()\n    except ValueError:\n        assert True\n\ndef test_d():\n    assert True\n    assert f()\n")},
	},
}

var neverRunsFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "python, in a class", Files: one("test_a.py", "class TestA:\n    def test_x(self):\n        assert f(1)\n\n    def test_y(self):\n        assert f(2)\n\n    def test_x(self):\n        assert f(3)\n"), Want: []string{"test_a.py:2 medium"}},
		{Name: "python, in the module", Files: one("tests/test_a.py", "@pytest.mark.parametrize(\"a\", [\n    1,\n])\ndef test_x(a):\n    assert f(a)\n\n\nasync def test_x(b):\n    assert f(b)\n"), Want: []string{"tests/test_a.py:4 medium"}},
		{Name: "go, a small letter", Files: goTestFile("func Testadd(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(1)\n\t}\n}\n"), Want: []string{"a/a_test.go:7 medium"}},
		{Name: "go, not exported", Files: goTestFile("func testAdd(t *testing.T) {\n\tt.Error(1)\n}\nfunc TestB(t *testing.T) { t.Error(1) }\n"), Want: []string{"a/a_test.go:7 medium"}},
	},
	Silent: []inspecttest.Case{
		{Name: "go, disabled on purpose", Files: one("a_test.go", "package a\n\nimport \"testing\"\n\n// Disabled for now.\nfunc testA(t *testing.T) {\n\tt.Log(1)\n}\n")},
		{Name: "python, elsewhere", Files: one("test_a.py", "class A:\n    def test_x(self): pass\nclass B:\n    def test_x(self): pass\nif win:\n    def test_y(): pass\nelse:\n    def test_y(): pass\ndef outer():\n    def test_z(): pass\n    def test_z(): pass\n")},
		{Name: "python, kept by a decorator or a name", Files: one("test_a.py", "@case\ndef test_x(): pass\n@case\ndef test_x(): pass\n\ndef test_y(): pass\nfirst = test_y\ndef test_y(): pass\n\nTEXT = \"\"\"\ndef test_z(): pass\ndef test_z(): pass\n\"\"\"\n")},
		{Name: "go, helpers", Files: goTestFile("func TestA(t *testing.T) { testAdd(t); run(t, testMore) }\nfunc testAdd(t *testing.T) { t.Error(1) }\nfunc testMore(t *testing.T) { t.Error(1) }\nfunc testing2(t *testing.T, n int) {}\nfunc TestMain(m *testing.M) {}\n")},
		{Name: "go, for another build", Files: withMod(one("a/a_test.go", "//go:build slow\n\npackage a\nimport \"testing\"\nfunc testAdd(t *testing.T) { t.Error(1) }\n"))},
	},
}

// TestHostile asserts that the checks end soon on input made to be slow or deeply nested.
func TestHostile(t *testing.T) {
	repo := inspecttest.Case{Files: withMod(map[string]string{
		"a.test.js":   strings.Repeat("it('a',()=>{", 80_000),
		"b.test.js":   strings.Repeat("it('a',()=>{", 30_000) + "console.log(x(1)); expect(1)" + strings.Repeat("})", 30_000),
		"c.test.js":   "it('a', () => { console.log(1); " + strings.Repeat("f(1);", 3000) + "})\n" + strings.Repeat("expect(", 140_000),
		"test_a.py":   strings.Repeat("def test_a():\n  pass\n", 40_000),
		"test_b.py":   strings.Repeat("assert (", 100_000) + "\n@\ndef test_(\n",
		"test_c.py":   deepPython(3000),
		"a/a_test.go": "package a\nimport \"testing\"\nfunc TestA(*testing.T) {}\nfunc TestB(t *testing.T, n int) {}\nfunc () TestC(t *testing.T) {}\n",
		"test_d.py":   "def test_a(é, \u2028):\n\tpass\n \tassert (\n\t(((\n",
	})}.Repo()
	inspecttest.Endure(t, repo, Checks())
}

func deepPython(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", min(i, 300)) + "def test_a():\n")
	}
	return b.String()
}

// A patch gives a Go test a name that the go command recognizes, unless another test already has this name.
func TestPatches(t *testing.T) {
	run := "package a\n\nimport \"testing\"\n\nfunc Testing(t *testing.T) {\n\tt.Log(1)\n}\n"
	for _, c := range []struct {
		check, path, text, want string
	}{
		{"sage/never-runs", "a_test.go", run, "func TestIng(t *testing.T) {"},
		{"sage/never-runs", "a_test.go", run + "\nfunc TestIng(t *testing.T) {\n\tt.Log(2)\n}\n", ""},
	} {
		if got := inspecttest.Patches(t, Checks(), c.check, map[string]string{c.path: c.text}); got != c.want {
			t.Errorf("%s: the patch says %q, want %q", c.text, got, c.want)
		}
	}
}
