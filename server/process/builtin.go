package process

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

// MaxTemplates is how many templates a server offers; files beyond it are refused
// with an error each.
const MaxTemplates = 128

// Files is the format of template files.
var Files = jsonfile.Format[world.Template]{
	What: "templates", Most: MaxTemplates, Parse: ParseTemplate, ID: func(t *world.Template) string { return t.ID },
}

var parsed = sync.OnceValue(func() []*world.Template { return Files.Embedded(embedded, "templates", builtins) })

// Builtin are the embedded templates, the default first. The templates are shared
// and must not be changed.
func Builtin() []*world.Template { return slices.Clone(parsed()) }
