package weaknesses

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/inspect/inspecttest"
)

func one(name, path, text string, want ...string) inspecttest.Case {
	for i, w := range want {
		want[i] = path + ":" + w
	}
	return inspecttest.Case{Name: name, Files: map[string]string{path: text}, Want: want}
}

func goFileOf(imports, body string) string {
	var b strings.Builder
	b.WriteString("package p\n\nimport (\n")
	for imp := range strings.FieldsSeq(imports) {
		fmt.Fprintf(&b, "\t%q\n", imp)
	}
	return b.String() + ")\n\n" + body
}

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"sentinel/certificate": {
			Planted: []inspecttest.Case{
				one("Go", "a.go", goFileOf("crypto/tls", "var c = &tls.Config{InsecureSkipVerify: true}\n"), "7 medium candidate"),
				one("Go, set later", "a.go", goFileOf("crypto/tls", "func f(c *tls.Config) {\n\ttlsConf := c\n\ttlsConf.InsecureSkipVerify = true\n}\n"), "9 medium candidate"),
				one("Python", "a.py", "import requests\nrequests.get(url, timeout=3, verify=False)\n", "2 medium"),
				one("with a password", "a.py", "import requests\n\ndef f(url, password):\n    requests.get(url, auth=('a', password), verify=False)\n", "4 high"),
				one("with a reason beside it", "a.py", "import requests\nrequests.get(url, verify=False)  # the certificate is our own\n", "2 medium candidate"),
				one("sessions of other names, whatever other conditions say", "a.py", "import requests\n\nclass A:\n    def f(self, url, data):\n        temporary_session = requests.Session()\n        if self.ignore_cert:\n            temporary_session.verify = False\n        if data is None:\n            return temporary_session.get(url, verify=False)\n        else:\n            return temporary_session.post(url, data=data, verify=False)\n", "9 medium"),
				one("another option", "a.py", "import requests\n\nclass A:\n    def f(self, url):\n        if self.fast:\n            requests.get(url, verify=False)\n", "6 medium candidate"),
				one("another option of a script", "a.js", "if (opts.fast) {\n  agent = new https.Agent({ rejectUnauthorized: false })\n}\n", "2 medium candidate"),
				one("where another option is not set", "a.js", "if (opts.fast) {\n  a()\n} else {\n  agent = new https.Agent({ rejectUnauthorized: false })\n}\n", "4 medium"),
				one("a condition of a neighbour", "a.js", "if (argv.insecure) {\n  warn()\n}\nconst agent = new https.Agent({ rejectUnauthorized: false })\n", "4 medium"),
				one("with a reason", "a.py", "import requests\n\n# Nobody minds who reads the verses, so nothing is verified.\nrequests.get(url, verify=False)\n", "4 medium candidate"),
				one("JavaScript", "a.js", "const agent = new https.Agent({ rejectUnauthorized: false })\n", "1 medium"),
				one("in an example", "examples/a.js", "const agent = new https.Agent({ rejectUnauthorized: false })\n", "1 medium candidate"),
				one("Node's switch, and a connection", "a.js", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'\n"+
					"const agent = new https.Agent({ rejectUnauthorized: false })\n", "1 medium"),
			},
			Silent: []inspecttest.Case{
				one("a test", "a_test.go", goFileOf("crypto/tls", "var c = &tls.Config{InsecureSkipVerify: true}\n")),
				one("an option", "a.go", goFileOf("crypto/tls", "func f(o opts) *tls.Config {\n\tc := &tls.Config{InsecureSkipVerify: o.Insecure}\n\tif o.Skip {\n\t\tc = &tls.Config{InsecureSkipVerify: true}\n\t}\n\treturn c\n}\n")),
				one("with a check of its own", "a.go", goFileOf("crypto/tls", "var c = &tls.Config{InsecureSkipVerify: true, VerifyPeerCertificate: check}\n")),
				one("shown", "a.go", goFileOf("crypto/tls", "func f(a string) any {\n\tc, _ := tls.Dial(\"tcp\", a, "+
					"&tls.Config{InsecureSkipVerify: true})\n\treturn c.ConnectionState().PeerCertificates[0]\n}\n")),
				one("another library's field", "a.go", goFileOf("github.com/coder/websocket", "var c = &websocket.AcceptOptions{InsecureSkipVerify: true}\n")),
				one("a comment and a string", "a.py", "# requests.get(url, verify=False)\nhelp = 'requests.get(url, verify=False)'\n"),
				one("a function for it", "a.py", "import ssl\n\ndef unverified_context(ca):\n    return ssl._create_unverified_context(cafile=ca)\n"),
				one("another verify", "a.py", "jwt.decode(token, verify=False)\nmodel.save(verify=False)\n"),
				one("an option of Python", "a.py", "import requests\n\nclass A:\n    def f(self):\n        s = requests.Session()\n        # default to check\n        if self.ignore_cert:\n            session.verify = False\n        elif self.ca:\n            session.verify = self.ca\n        else:\n            session.verify = True\n"),
				one("the other branch", "a.py", "import requests\n\ndef f(url, check_cert):\n    if check_cert:\n        a()\n        b()\n        c()\n        d()\n        e()\n        return requests.get(url)\n    return g() if check_cert else requests.get(url, verify=False)\n"),
				one("after a guard", "a.js", "function f(o) {\n  if (!o.selfSigned) return open()\n  a()\n  b()\n  c()\n  d()\n  e()\n  g()\n  return open({ rejectUnauthorized: false })\n}\n"),
				one("options in scripts", "a.js", "a = { ...(o.selfSigned && { rejectUnauthorized: false }), b: o.ignoreCert ? { rejectUnauthorized: false } : {}, rejectUnauthorized: !o.insecure }\n"),
				one("an option of Go", "a.go", goFileOf("crypto/tls", "func f(o opts) *tls.Config {\n\tif o.IgnoreCert {\n\t\treturn &tls.Config{InsecureSkipVerify: true}\n\t}\n\treturn nil\n}\n")),
				one("asked for", "a.js", "if (argv.insecure) {\n  opts = { rejectUnauthorized: false }\n}\n"),
			},
		},
		"sentinel/yaml-loader": {
			Planted: []inspecttest.Case{
				one("no loader", "a.py", "import yaml\nd = yaml.load(text)\n", "2 high"),
				one("the own configuration", "a.py", "import yaml\nd = yaml.load(open(p))\nwith open(p) as f:\n    e = yaml.load(f, yaml.Loader)\n", "2 medium", "4 medium"),
				one("the old loader", "a.py", "import yaml\ne = yaml.load(t, Loader=yaml.Loader)\n", "2 high"),
				one("a loader chosen", "a.py", "import yaml\ndef f(t, Loader):\n    return yaml.load(t, Loader=Loader)\n", "3 high candidate"),
				one("a loader imported", "a.py", "import yaml\nfrom yaml import (Dumper,\n    Loader)\nd = yaml.load(t, Loader=Loader)\n", "4 high"),
				one("the second argument", "a.py", "import yaml\ne = yaml.load(t, yaml.UnsafeLoader)\n", "2 high"),
			},
			Silent: []inspecttest.Case{
				one("safe loaders", "a.py", "import yaml\nyaml.safe_load(t)\nyaml.load(t, Loader=yaml.SafeLoader)\nyaml.load(t, yaml.CSafeLoader)\n"),
				one("another yaml", "a.py", "from ruamel.yaml import YAML\nyaml = YAML()\nd = yaml.load(t)\n"),
				one("a comment", "a.py", "import yaml\n# yaml.load(t)\n"),
			},
		},
		"sentinel/open-door": {
			Planted: []inspecttest.Case{
				one("a debugger", "app.py", "app.run(host=\"0.0.0.0\", debug=True)\n", "1 high"),
				one("origins in Python", "main.py", "app.add_middleware(\n    CORSMiddleware,\n    allow_origins=[\"*\"],\n    allow_credentials=True,\n)\nuse(SessionMiddleware)\n", "3 high"),
				one("origins in JavaScript", "a.js", "app.use(cors({ origin: true, credentials: true }))\napp.use(session())\n", "1 high"),
				one("without logins", "a.js", "app.use(cors({ origin: true, credentials: true }))\n", "1 high candidate"),
				{Name: "with an own check of origins", Files: map[string]string{"a.js": "app.use(cors({ origin: true, credentials: true }))\napp.use(session())\n", "b.js": "allow(req.headers.origin)\n"}, Want: []string{"a.js:1 high candidate"}},
			},
			Silent: []inspecttest.Case{
				one("one of two", "app.py", "app.run(debug=True)\napp.run(host='0.0.0.0')\n"),
				one("origins without logins", "a.js", "app.use(cors({ origin: true }))\napp.use(cors({ origin: list, credentials: true }))\napp.use(session())\n"),
				one("origins listed", "main.py", "app.add_middleware(CORSMiddleware, allow_origins=[\"https://a.b\"], allow_credentials=True)\napp.add_middleware(CORSMiddleware, allow_origins=[\"*\"])\n"),
			},
		},
		"sentinel/workflow": {
			Planted: []inspecttest.Case{
				one("a title in a script", ".github/workflows/a.yml", "on: issues\njobs:\n  a:\n    steps:\n      - run: echo \"${{ github.event.issue.title }}\"\n", "5 high"),
				one("a branch in a long script", ".github/workflows/a.yml", "on: pull_request\njobs:\n  a:\n    steps:\n      - name: x\n        run: |\n          git fetch\n          git checkout ${{ github.head_ref }}\n", "8 medium"),
				one("a comment's text, among other triggers", ".github/workflows/a.yml", "on: [pull_request, issue_comment]\njobs:\n  a:\n    steps:\n      - run: echo \"${{ github.event.comment.body }}\"\n", "5 high"),
				one("rights of a token are no trigger", ".github/workflows/a.yml", "on: pull_request # no pull_request_target\npermissions:\n  issues: write\njobs:\n  a:\n    steps:\n      - run: echo ${{ github.event.pull_request.title }}\n", "7 medium"),
				one("a stranger's code", ".github/workflows/a.yml", checkedOut("actions/checkout@v4", "ref: ${{ github.event.pull_request.head.sha }}", "allow-unsafe-pr-checkout: true"), "8 high"),
				one("a version from before checkout refused", ".github/workflows/a.yml", checkedOut("actions/checkout@v4.1.1", "ref: refs/pull/${{ github.event.number }}/merge"), "8 high"),
				one("such a version by its commit", ".github/workflows/a.yml", checkedOut("actions/checkout@b4ffde65f46336ab88eb53be808477a3936bae11 # v4.1.1", "ref: ${{ github.event.pull_request.head.sha }}"), "8 high"),
				one("a branch of the fork", ".github/workflows/a.yml", checkedOut("actions/checkout@v1", "ref: ${{ github.head_ref }}", "repository: ${{ github.event.pull_request.head.repo.full_name }}"), "8 high"),
			},
			Silent: []inspecttest.Case{
				one("by the environment", ".github/workflows/a.yml", "on: issues\njobs:\n  a:\n    steps:\n      - run: echo \"$TITLE\"\n        env:\n          TITLE: ${{ github.event.issue.title }}\n"),
				one("an own name", ".github/workflows/a.yml", "on: push\njobs:\n  a:\n    steps:\n      - run: echo ${{ github.sha }} ${{ github.event.pull_request.number }}\n"),
				one("without rights", ".github/workflows/a.yml", "on: pull_request\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"),
				one("the own code", ".github/workflows/a.yml", "on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n      - run: ./label\n"),
				one("what checkout refuses", ".github/workflows/a.yml", checkedOut("actions/checkout@v4", "ref: ${{ github.event.pull_request.head.sha }}")),
				one("what a new version refuses", ".github/workflows/a.yml", checkedOut("actions/checkout@b4ffde65f46336ab88eb53be808477a3936bae12 # v6.1.0", "ref: ${{ github.event.pull_request.head.sha }}")),
				one("a commit of which nobody says the version", ".github/workflows/a.yml", checkedOut("actions/checkout@b4ffde65f46336ab88eb53be808477a3936bae13", "ref: ${{ github.event.pull_request.head.sha }}")),
				one("a branch of that name in the own repository", ".github/workflows/a.yml", checkedOut("actions/checkout@v1", "ref: ${{ github.head_ref }}")),
				one("a comment", ".github/workflows/a.yml", "on: issues\njobs:\n  a:\n    steps:\n      - run: |\n          # echo ${{ github.event.issue.title }}\n          true\n"),
			},
		},
	})
}

// checkedOut returns a workflow under pull_request_target that uses an action with the given inputs.
func checkedOut(uses string, with ...string) string {
	return "on:\n  pull_request_target:\njobs:\n  a:\n    steps:\n      - uses: " + uses + "\n        with:\n          " + strings.Join(with, "\n          ") + "\n      - run: make\n"
}

func TestHostileFiles(t *testing.T) {
	files := map[string]string{}
	for i, text := range []string{
		strings.Repeat("(", 500_000), strings.Repeat("exec(`${", 100_000), strings.Repeat("'", 700_000), strings.Repeat("-----BEGIN PRIVATE"+" KEY-----\n", 20_000),
		"SELECT a FROM b '${" + strings.Repeat("{", 300_000), strings.Repeat("yaml.load(f\"{x}\" + ", 30_000), strings.Repeat("\u2028é", 100_000), strings.Repeat("AKIA"+"Q3EGR5J7WMZT4XHV ", 20_000),
		strings.Repeat("el.innerHTML = `${location.hash}` +\n", 20_000),
	} {
		for _, ext := range []string{"js", "py", "yml", "txt"} {
			files[fmt.Sprintf("src/a%d.%s", i, ext)] = "// child_process subprocess import yaml verify=False chmod\n" + text
		}
	}
	c := inspecttest.Case{Files: files}
	inspecttest.Endure(t, c.Repo(), Checks())
}

// A patch replaces code that disables a check by code that enables it. There is no patch if a loader has to be
// imported first.
func TestPatches(t *testing.T) {
	load, requests := "import yaml\n\n\ndef load(f):\n    return ", "import requests\n\n\ndef get():\n    "
	for _, c := range []struct {
		check, path, text, want string
	}{
		{"sentinel/yaml-loader", "a.py", load + "yaml.load(f)\n", "return yaml.safe_load(f)"},
		{"sentinel/yaml-loader", "a.py", load + "yaml.load_all(f)\n", "return yaml.safe_load_all(f)"},
		{"sentinel/yaml-loader", "a.py", load + "yaml.load(f, Loader=yaml.UnsafeLoader)\n", "return yaml.load(f, Loader=yaml.SafeLoader)"},
		{"sentinel/yaml-loader", "a.py", load + "yaml.load(f, Loader=UnsafeLoader)\n", ""},
		{"sentinel/certificate", "a.py", requests + "return requests.get('https://a.example', verify=False)\n", "return requests.get('https://a.example', verify=True)"},
		{"sentinel/certificate", "a.js", "const agent = new https.Agent({ rejectUnauthorized: false })\n", "const agent = new https.Agent({ rejectUnauthorized: true })"},
		{"sentinel/certificate", "a.go", "package a\n\nimport \"crypto/tls\"\n\n// C is a configuration.\nvar C = &tls.Config{InsecureSkipVerify: true}\n", "var C = &tls.Config{InsecureSkipVerify: false}"},
	} {
		if got := inspecttest.Patches(t, Checks(), c.check, map[string]string{c.path: c.text}); got != c.want {
			t.Errorf("%s: the patch says %q, want %q", c.text, got, c.want)
		}
	}
}
