package mistakes

import (
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

// three returns a case of a Python file in a package that requires Python 3.
func three(name, text string, want ...string) inspecttest.Case {
	c := one(name, "a.py", text, want...)
	c.Files["setup.py"] = "setup(python_requires='>=3.6')\n"
	return c
}

// with returns a case with a further file.
func with(c inspecttest.Case, path, text string) inspecttest.Case {
	c.Files[path] = text
	return c
}

// program returns a case of a module of a package with a removed name in a function, and with a main block.
func program(name, want string) inspecttest.Case {
	c := one(name, "p/a.py", "import time\n\ndef show():\n    return time.clock()\n\nif __name__ == '__main__':\n    show()\n", "4 "+want)
	c.Files["p/__init__.py"], c.Files["setup.py"], c.Files["called.txt"] = "", "setup(python_requires='>=3.6')\n", ""
	return c
}

var removedFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		three("a module", "import os, imp\n", "1 medium"),
		three("beside setuptools", "from distutils.errors import DistutilsError\nfrom pkg_resources import EntryPoint\n", "1 medium candidate"),
		three("a module of a package", "from distutils.version import LooseVersion\n", "1 medium"),
		three("a function of a module that is gone", "import distutils.util\nfrom distutils.dir_util import copy_tree\n\ndef f(a):\n    return distutils.util.strtobool(a)\n", "1 medium", "2 medium"),
		three("a function that was gone before its module", "import cgi\n\ndef f(a):\n    return cgi.escape(a)\n", "4 high", "1 medium"),
		three("in a command of the build", "import distutils.cmd\nfrom distutils.dir_util import mkpath\n\nclass A(distutils.cmd.Command):\n    pass\n", "1 medium candidate", "2 medium candidate"),
		with(three("where another file needs setuptools", "from distutils.version import LooseVersion\n", "1 medium candidate"), "b.py", "import pkg_resources\n"),
		with(one("where setuptools only builds", "a.py", "import distutils\n", "1 medium"), "pyproject.toml", "[build-system]\nrequires = [\"setuptools\"]\n[project]\nrequires-python = \">=3.8\"\ndependencies = [\"a\"]\n"),
		three("imported before the version is asked for", "import sys, imp\n\nif sys.version_info < (3,):\n    text = 1\n", "1 medium"),
		three("a name of a module", "from collections import OrderedDict, Mapping\n", "1 high"),
		three("a function through its import", "import inspect as i\n\ndef f(a):\n    return i.getargspec(a)\n", "4 medium"),
		three("of an object in a variable", "from threading import Thread\n\ndef f(a):\n    t = None\n    t = Thread(target=a)\n    return t.isAlive()\n", "6 high"),
		three("of an object in a field", "import threading\n\nclass A:\n    def __init__(self):\n        self.t = threading.Thread()\n\n    def f(self):\n        return self.t.isAlive()\n", "8 high"),
		three("of the own class", "import threading\n\nclass A(threading.Thread):\n    def f(self):\n        return self.isAlive()\n\nclass B(A):\n    pass\n\nb = B()\nb.isAlive()\n", "5 high"),
		three("of what a call gives", "import xml.etree.ElementTree as ET\n\ndef f(a):\n    for e in ET.parse(a).getroot():\n        use(e.getchildren())\n", "5 high"),
		three("of a literal", "x = {}\nx.has_key('a')\n", "2 high"),
		three("a builtin", "def f(a):\n    return unicode(a)\n", "2 high"),
		three("a parameter", "import asyncio\n\ndef f(a):\n    return asyncio.Lock(loop=a)\n", "4 high"),
		three("a mode", "x = open('a', 'rU')\n", "1 medium"),
		three("an index", "x = map(str, [1])[0]\n", "1 high"),
		three("a list that was none before", "x = {}\ny = x.keys()\ny.sort()\n", "3 high"),
		three("a comparison", "x = sorted([1], cmp=f)\n", "1 high"),
		three("a method that nothing calls", "class A:\n    def __nonzero__(self):\n        return False\n", "2 medium"),
		three("a method that compares", "class A:\n    def __cmp__(self, other):\n        return 0\n", "2 medium candidate"),
		three("an iterator", "class A:\n    def __iter__(self):\n        return self\n\n    def next(self):\n        return 1\n", "5 medium"),
		three("no digest", "import hmac\nx = hmac.new(b'a', b'b')\n", "2 high"),
		three("a set", "import random\nx = random.sample({1, 2}, 1)\n", "2 medium"),
		three("in a try of other errors", "try:\n    import imp\n    imp.load_source('a', 'b')\nexcept OSError:\n    pass\n", "2 medium"),
		three("in a try of all errors", "import time\ntry:\n    a = time.clock()\nexcept Exception:\n    a = 0\n", "3 high candidate"),
		three("where the version is asked for", "import sys, time\nnew = sys.version_info >= (3, 8)\n\ndef f():\n    if new:\n        return 1\n    return time.clock()\n", "7 high candidate"),
		three("where old versions are refused", "import sys, time\nif sys.version_info < (3, 6):\n    sys.exit('too old')\nx = time.clock()\n", "4 high"),
		one("by its syntax", "a.py", "import imp\n\nasync def f(a):\n    return f'{a}'\n", "1 medium"),
		one("by its folder", "usr/lib/python3/dist-packages/a/b.py", "import imp\n", "1 medium"),
		one("by a line at its head", "usr/share/a/b.py", "#!/usr/bin/python3\nimport imp\n", "2 medium"),
		with(three("in another file too", "import imp\n", "1 medium"), "b.py", "import imp\n"),
		with(one("below a limit that is higher", "a.py", "import imp\n", "1 medium"), "pyproject.toml", "[project]\nrequires-python = \">=3.8,<3.13\"\n"),
		three("in a function that nothing calls", "import time\n\ndef _lost():\n    return time.clock()\n", "4 high candidate"),
		three("in a function that a text names", "import time\n\ndef _lost():\n    return time.clock()\n\nx = locals()['_lo' + 'st']()\n", "4 high"),
		with(three("in a module of old versions", "import httplib\n", "1 high candidate"), "b.py", "import sys\nif sys.version_info < (3,):\n    from . import a\n"),
		with(three("in a module for want of another", "import httplib\n", "1 high candidate"), "b.py", "try:\n    import other\nexcept ImportError:\n    from . import a\n"),
		with(three("in a module that is tried", "import httplib\n", "1 high"), "b.py", "try:\n    from . import a\nexcept ImportError:\n    a = None\n"),
		with(with(three("in a module of all versions", "import httplib\n", "1 high"), "b.py", "import sys\nif sys.version_info < (3,):\n    from .a import x\n"), "c.py", "from . import a\n"),
		program("of a module that people run", "high candidate"),
		with(program("of a module that a module imports", "high"), "p/b.py", "from p import (\n    show,\n    a,\n)\n"),
		with(program("of a module that a script runs", "high"), "run.sh", "python3 -m p.a\n"),
		with(program("of a module that metadata lists", "high candidate"), "p.egg-info/SOURCES.txt", "p/a.py\np/a.py.in\n"),
		with(program("of a module that such a module imports", "high candidate"), "p/b.py", "from p.a import show\n\nif __name__ == '__main__':\n    show()\n"),
		with(one("in an example", "examples/a.py", "import imp\n", "1 medium candidate"), "setup.py", "setup(python_requires='>=3.6')\n"),
	},
	Silent: []inspecttest.Case{
		three("tried", "try:\n    from collections.abc import Mapping\nexcept ImportError:\n    from collections import Mapping\ntry:\n    import cgi\nexcept:\n    cgi = None\ntry:\n    text = unicode\nexcept NameError:\n    text = str\n"),
		three("asked for", "import sys, inspect, time\nif sys.version_info[0] < 3:\n    import imp\nx = inspect.getargspec if hasattr(inspect, 'getargspec') else None\ny = six.PY2 and unicode\n"),
		three("of others", "import own\nfrom . import imp\nfrom own import collections, asyncore\n\ndef f(t, d):\n    t.isAlive()\n    d.has_key(1)\n    own.clock()\n    collections.Mapping\n"),
		three("defined here", "from own import file\nunicode = str\n\nclass A:\n    def reload(self, cmp=None):\n        return cmp(unicode('a'), self.reload())\n\nclass B(Thread):\n    def isAlive(self):\n        return 1\n\n    def f(self):\n        return self.isAlive()\n"),
		three("of more than one type", "import threading\n\ndef f(a):\n    t = threading.Thread()\n    if a:\n        t = a\n    t.isAlive()\n"),
		three("all names of a module", "from a import *\nunicode(reduce)\n"),
		with(three("an own module", "import imp\n"), "imp.py", ""),
		with(three("put back", "import inspect\ninspect.getargspec(1)\n"), "b.py", "import inspect\ninspect.getargspec = inspect.getfullargspec\n"),
		with(three("given by a package", "import cgi\n"), "requirements.txt", "legacy-cgi\n"),
		with(three("given by setuptools", "import distutils\n"), "requirements.txt", "a\nsetuptools>=60\n"),
		with(one("given by setuptools, in a list", "a.py", "import distutils\n"), "setup.py", "setup(python_requires='>=3.6', install_requires=['a', 'setuptools'])\n"),
		with(one("below the version", "a.py", "import imp\n"), "pyproject.toml", "[project]\nrequires-python = \">=3.8,<3.12\"\n"),
		with(one("below the version of poetry", "a.py", "import imp\n"), "pyproject.toml", "[tool.poetry.dependencies]\npython = \"~3.11\"\n"),
		one("for any version", "a.py", "import imp\nunicode('a')\n"),
		three("the old language", "import imp\nprint 'a'\n"),
		three("the old language in a handler", "import urllib2\ntry:\n    a()\nexcept OSError, e:\n    raise\n"),
		three("no iterator", "class A:\n    def __iter__(self):\n        return iter(self.a)\n\n    def next(self):\n        return 1\n"),
		three("a method that a decorator uses", "@comparable\nclass A:\n    def __cmp__(self, other):\n        return 0\n"),
		with(three("a method that the code calls", "class A:\n    def __cmp__(self, other):\n        return 0\n"), "b.py", "def same(a, b):\n    return a.__cmp__(b) == 0\n"),
		three("in a method that Python no longer calls", "class A:\n    def __cmp__(self, other):\n        return cmp(self.a, other.a)\n\n    def __lt__(self, other):\n        return True\n"),
		three("both methods", "class A:\n    def __bool__(self):\n        return False\n    __nonzero__ = __bool__\n    def next(self):\n        return 1\n\nclass B:\n    def __iter__(self):\n        return self\n\n    def next(self):\n        return 1\n    __next__ = next\n\n    def __cmp__(self, a):\n        return 0\n\n    def __lt__(self, a):\n        return True\n"),
		three("lists", "x = list(map(str, [1]))[0]\nmap(str, [1])\ny = sorted([1], key=f), sorted(a for a in x if a), sorted((a, b) for a, b in x)\nz = {}\nz['a']\nrange(3)[0]\n"),
		three("fitting arguments", "import hmac, json, asyncio, random\nhmac.new(b'a', b'b', 'sha256')\nhmac.new(b'a', digestmod='md5')\nhmac.new(*x)\njson.loads('1')\nasyncio.sleep(1)\nrandom.sample([1], 1)\nopen('a', 'r')\nopen('U')\n"),
	},
}

func TestRemovedNamesHavePatches(t *testing.T) {
	for text, want := range map[string]string{
		"import threading\nx = threading.Thread()\ny = x.isAlive()\n": "y = x.is_alive()",
		"import time\nx = time.clock()\n":                             "x = time.perf_counter()",
		"import base64\nx = base64.encodestring(b'a')\n":              "x = base64.encodebytes(b'a')",
		"import imp\n": "",
	} {
		files := map[string]string{"a.py": text, "setup.py": "setup(python_requires='>=3.6')\n"}
		if got := inspecttest.Patches(t, Checks(), "healer/removed-name", files); got != want {
			t.Errorf("%q: the patch gives %q, want %q", text, got, want)
		}
	}
}

func TestAFindingAboutStripNamesALetterThatItRemovesToo(t *testing.T) {
	for call, want := range map[string]string{
		"a.lstrip('dad:')": `from what follows the text, such as the last "d" of "dad:dq", which becomes "q".`,
		"a.rstrip('.gmn')": `from what comes before the text, such as the first "n" of "qn.gmn", which becomes "q".`,
	} {
		c := one("", "a.py", "def f(a):\n    return "+call+"\n")
		check := wrongConditions()
		all := inspect.Run(t.Context(), c.Repo(), &check).Findings
		if len(all) != 1 || !strings.Contains(all[0].Why, want) {
			t.Errorf("%s: found %v, want one that says %s", call, all, want)
		}
	}
}

func TestModulesOfDistutilsNameTheirReplacement(t *testing.T) {
	for text, want := range map[string]string{
		"from distutils import log\n":                                                     "Use logging.",
		"from distutils import versionpredicate\n":                                        "Use packaging.requirements or packaging.specifiers of the package packaging.",
		"from distutils import spawn\n\ndef f(a):\n    return spawn.find_executable(a)\n": "Use shutil.which for find_executable.",
		"from distutils import errors\n":                                                  "Use a copy of the code that you need, or the package setuptools, which has its own distutils.",
	} {
		c := inspecttest.Case{Files: map[string]string{"setup.py": "setup(python_requires='>=3.6')\n", "a.py": text}}
		check := removedNames()
		for _, f := range inspect.Run(t.Context(), c.Repo(), &check).Findings {
			if f.Advice != want {
				t.Errorf("%q: the advice is %q, want %q", text, f.Advice, want)
			}
			want = ""
		}
		if want != "" {
			t.Errorf("%q: there is no finding", text)
		}
	}
}

func TestAModuleThatIsGoneNamesWhatReplacesItsMembers(t *testing.T) {
	c := inspecttest.Case{Files: map[string]string{"setup.py": "setup(python_requires='>=3.6')\n",
		"a.py": "import imp, sys\n\ndef f(a):\n    return imp.reload(a) or imp.find_module(a) or imp.reload(sys)\n"}}
	check := removedNames()
	var got []string
	for _, f := range inspect.Run(t.Context(), c.Repo(), &check).Findings {
		got = append(got, f.Advice)
	}
	if want := "Use importlib.reload for reload, importlib.util.find_spec for find_module."; len(got) != 1 || got[0] != want {
		t.Errorf("the advice is %q, want %q", got, want)
	}
}

// All names that one version removed from a module are one cause, because one change replaces them.
func TestRemovedNamesOfAModuleAreOneCause(t *testing.T) {
	for name, want := range map[string]string{
		"string.lower": "string 3.0", "types.ListType": "types 3.0", "builtins.unicode": "", "class.__cmp__": "", "imp": "",
		"builtins.dict().has_key": "", "builtins.map()[]": "", "distutils.version": "",
	} {
		if got := familyOf(name, pythonRemovals()[name].minor); got != want {
			t.Errorf("%s is of the family %q, not %q", name, got, want)
		}
	}
	c := three("several", "import string\n\ndef f(a):\n    return string.atoi(string.lower(a)), string.find(a, 'b')\n")
	check := removedNames()
	all := inspect.Run(t.Context(), c.Repo(), &check).Findings
	if len(all) != 1 {
		t.Fatalf("%d findings", len(all))
	}
	if f := all[0]; f.Cause.Key != "removed string 3.0" || f.Title != "Python 3 has no string.atoi, string.find and 1 more of string" ||
		f.Advice != "Use int(...) for atoi, text.find(...) for find, text.lower(...) for lower." {
		t.Errorf("%s: %s %s", f.Cause.Key, f.Title, f.Advice)
	}
}
