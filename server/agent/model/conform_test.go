package model

import (
	"net/http"
	"strings"
	"testing"

	"agentdungeon/server/agent/agenttest"
	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

func TestConform(t *testing.T) {
	turns := map[string]modeltest.Play{
		"good": func(r *modeltest.Reply) {
			if r.Request.Last("tool") != "" {
				modeltest.Says("so ", "it ", "is")(r)
				return
			}
			r.Think("Hm. Let me see.\n")
			r.Say("one ")
			r.Say("two")
			r.Call(0, "a", "list_folder", `{"path":""}`)
			r.Call(1, "b", "post_finding", `{"title":"t","severity":"low","why":"w","advice":"a","path":"a.go","line":1}`)
			r.End("tool_calls")
		},
		"fails": modeltest.Refuses(http.StatusInternalServerError, "out of memory"),
		"stalls": func(r *modeltest.Reply) { // it continues as long as a word comes now and then
			for !r.Gone() {
				r.Say("on ")
				r.Wait(silence / 2)
			}
		},
		"waits":  modeltest.Refuses(http.StatusTooManyRequests, "later", "Retry-After", "50"),
		"silent": func(r *modeltest.Reply) { r.Stall() },
	}
	for name, play := range turns {
		turn := request()
		turn.Prompt, turn.RepoPath = name, "/somewhere"
		open := func() driver.Driver {
			s := modeltest.New(play)
			return agents(t, s, func(c *Config) { c.Repositories = &shelf{files: map[string]string{"a.go": "package a\n"}} }).Driver(nil, turn.Role)
		}
		t.Run(name, func(t *testing.T) {
			switch name {
			case "good":
				agenttest.Conform(t, open, agenttest.Turns{Good: &turn})
			case "fails", "waits":
				agenttest.Conform(t, open, agenttest.Turns{Fails: &turn, FailCode: world.ChatModel})
			case "silent":
				agenttest.Conform(t, open, agenttest.Turns{Fails: &turn, FailCode: world.ChatTimeout})
			case "stalls":
				agenttest.Conform(t, open, agenttest.Turns{Stalls: &turn})
			}
		})
	}
	t.Run("huge", func(t *testing.T) { // B25
		const words = "stone upon stone upon stone, and the door stays where it was. "
		turn := request()
		piece := strings.Repeat(words, 500)
		open := func() driver.Driver {
			return agents(t, modeltest.New(func(r *modeltest.Reply) {
				for range 1200 {
					r.Say(piece)
				}
				r.End("stop")
			})).Driver(nil, turn.Role)
		}
		agenttest.Conform(t, open, agenttest.Turns{Huge: &turn, HugeBytes: int64(len(piece)) * 1200})
	})
}
