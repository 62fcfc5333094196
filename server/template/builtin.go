package template

import (
	"embed"
	"slices"
	"sync"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/world"
)

//go:embed templates/*.json
var embedded embed.FS

// builtins lists the embedded templates, the default first.
var builtins = []string{
	"deep_brainstorm", "standard_brainstorm", "code_review",
	"six_thinking_hats", "scamper", "rapid_fire",
}

// MaxCount is the limit of templates on a server. Each further file is refused with an error.
const MaxCount = 128

// Files is the format of template files.
var Files = jsonfile.Format[world.Template]{
	What: "templates", Most: MaxCount, Parse: Parse, ID: func(t *world.Template) string { return t.ID },
}

var parsed = sync.OnceValue(func() []*world.Template { return Files.Embedded(embedded, "templates", builtins) })

// Builtin returns the embedded templates, the default first. All callers get the same templates and must not
// modify them.
func Builtin() []*world.Template { return slices.Clone(parsed()) }
