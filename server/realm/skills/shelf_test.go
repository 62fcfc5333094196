package skills_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm/skills"
	"agentdungeon/shared/world"
)

// The log names each folder that is no valid skill once, and only a bounded number of them.
func TestUselessSkillsAreNamedOnce(t *testing.T) {
	var log bytes.Buffer
	w, shelf := world.New(world.Realm{ID: "r1"}), skills.NewShelf(nil, zerolog.New(&log))
	list := []world.SkillText{{Name: "z-odd", Bad: "it is odd"}}
	for i := range 300 {
		list = append(list, world.SkillText{Name: fmt.Sprintf("bad-%03d", i), Bad: "it is bad"})
	}
	for range 3 {
		shelf.Saw(w, 1, list)
	}
	if got := log.String(); strings.Count(got, "\n") != 21 || !strings.Contains(got, "bad-019") || !strings.Contains(got, `"folders":281`) {
		t.Errorf("three looks say %s", got)
	}
	log.Reset()
	list[0].Bad = "it is odder"
	shelf.Saw(w, 1, list)
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "odder") {
		t.Errorf("what is new is told as %s", got)
	}
}
