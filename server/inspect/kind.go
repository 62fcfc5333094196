package inspect

import (
	"cmp"
	"strings"
)

// KindOf returns the problem that a check finds, in words for people: "lock not released" for "healer/held-lock".
// Programs and files still identify the check by its id.
func KindOf(id string) string {
	if kind := kinds[id]; kind != "" {
		return kind
	}
	words := strings.Split(id[strings.IndexByte(id, '/')+1:], "-")
	for i, w := range words {
		words[i] = cmp.Or(names[w], w)
	}
	return strings.Join(words, " ")
}

// kinds maps the ids that do not say what their checks find to the texts that KindOf returns for them.
var kinds = map[string]string{
	"bard/link":                    "broken link",
	"bard/stale-name":              "outdated name in documents",
	"cartographer/conflict-marker": "merge conflict marker",
	"healer/crash-from-outside":    "crash on bad input",
	"healer/defined-twice":         "duplicate definition",
	"healer/double-answer":         "missing return after an error",
	"healer/dropped-error":         "ignored error",
	"healer/held-lock":             "lock not released",
	"healer/lost-promise":          "missing await",
	"healer/wrong-condition":       "condition or result without effect",
	"healer/nil-error":             "wrong error returned",
	"healer/no-time-limit":         "missing timeout",
	"healer/removed-api":           "removed API of Node.js",
	"healer/removed-name":          "name that Python removed",
	"healer/unclosed":              "file or connection not closed",
	"healer/unfit-call":            "call with wrong arguments",
	"healer/unknown-name":          "undefined name",
	"healer/unread-error":          "error never checked",
	"sage/cannot-fail":             "assertion that cannot fail",
	"sage/never-runs":              "test that never runs",
	"scout/undeclared":             "undeclared dependency",
	"sentinel/certificate":         "TLS certificate not verified",
	"sentinel/open-door":           "insecure default",
	"sentinel/workflow":            "unsafe GitHub workflow",
	"sentinel/yaml-loader":         "unsafe YAML loader",
	"warden/go-api-break":          "breaking change of a Go API",
	"warden/go-module-path":        "wrong Go module path",
}

// names maps words in ids to their usual spelling.
var names = map[string]string{
	"sql": "SQL", "ssrf": "SSRF", "html": "HTML", "yaml": "YAML", "api": "API", "go": "Go", "python": "Python",
	"windows": "Windows",
}
