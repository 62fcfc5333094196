package mistakes

import (
	"slices"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

func TestSlipsOfPython(t *testing.T) {
	checks := slices.DeleteFunc(Checks(), func(c inspect.Check) bool { return c.ID != "healer/wrong-condition" })
	inspecttest.Corpus(t, checks, map[string]inspecttest.Facts{"healer/wrong-condition": {
		Planted: []inspecttest.Case{
			one("a word as letters", "a.py", "def f(a):\n    return a.lstrip('tool_')\n", "2 medium"),
			one("an end as letters", "a.py", "def f(a):\n    return a.rstrip('.gmn')\n", "2 medium"),
			one("one text in brackets", "a.py", "def f(opt):\n    return opt in ('--log')\n", "2 medium candidate"),
			one("a raised text", "a.py", "def f(a):\n    raise 'no %s' % a\n", "2 medium"),
			one("flags as a number", "a.py", "import re\n\ndef f(a):\n    return re.split('a', a, re.M)\n", "4 medium"),
			one("flags as a number of replacements", "a.py", "import re\n\ndef f(a):\n    return re.sub('a', 'b', a, re.M | re.I)\n", "4 medium"),
			one("None for a list", "a.py", "def f(a):\n    b = [1].extend(a)\n    return b\n", "2 medium"),
			one("too few values", "a.py", "def f(a):\n    return '{} {}'.format(a)\n", "2 medium"),
			one("too many values", "a.py", "def f(a):\n    return '{0}\\n'.format(a, a)\n", "2 medium"),
			one("a name without a value", "a.py", "def f(a):\n    return '{a.b} {c[0]:>3}'.format(a=a)\n", "2 medium"),
			one("too few values of a tuple", "a.py", "def f(a):\n    return '%s %d %%' % (a,)\n", "2 medium"),
			one("too many values of a tuple", "a.py", "def f(a):\n    return '%s $d' % (a, a)\n", "2 medium"),
			one("a handler behind a wider one", "a.py", "def f(a):\n    try:\n        a()\n    except OSError:\n        pass\n    except FileNotFoundError as e:\n        use(e)\n", "6 medium"),
			one("an else that always runs", "a.py", "def f(a):\n    for b in a:\n        use(b)\n    else:\n        print('There is no warning.')\n", "4 medium"),
		},
		Silent: []inspecttest.Case{
			one("letters", "a.py", "def f(a, c):\n    b = a.lstrip('abc'), a.rstrip('\\r\\n'), a.strip('/home/'), c in ('abcdef'), a in ('help',), a in 'help'\n    return b\n"),
			one("fitting texts", "a.py", "def f(a):\n    b = '%s %s' % (a, \\\n        a)\n    c = '{}'.format(a \\\n        )\n    raise E('no %s' % a, '{} {{}}'.format(a), '{0} {0} {a}'.format(a, a=1), '%s' % a, '%(a)s' % (a,), '%*d' % (1, 2), '%s %s' % (*a,))\n"),
			one("other texts", "a.py", "def f(a):\n    return '{} {}'.format(*a) + '{:{}}'.format(a, 1) + '{a}'.format(**a) + '{}'.format(b for b in a if b) + a.format(1) + f'{a} {{}}'.format(1)\n"),
			one("handlers in order", "a.py", "def f(a):\n    try:\n        a()\n    except FileNotFoundError:\n        pass\n    except OSError:\n        pass\n    except (OSError, KeyError):\n        pass\n    except Exception:\n        pass\n"),
			one("an else of a loop that is left", "a.py", "def f(a):\n    for b in a:\n        if b:\n            break\n    else:\n        print('no b')\n    for b in a:\n        if b:\n            return b\n    else:\n        print('no b')\n    for b in a:\n        use(b)\n    else:\n        print('done')\n"),
			one("a method of an own object", "a.py", "def f(a):\n    a.strip(outfile=1)\n    b = a.extend([1])\n    re.split('a', a, 1)\n    re.sub('a', 'b', a, flags=re.M)\n    return b\n"),
		},
	}})
}
