package view_test

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/realm/view"
	"agentdungeon/shared/world"
)

// world:state stays within its size: of the largest conversations the oldest rows are left out, and open rows are kept.
// P5.7.
func TestViewsFit(t *testing.T) {
	made := func(n, size int) world.View {
		v := world.View{}
		for i := range n {
			v.Messages = append(v.Messages, world.Message{MessageID: fmt.Sprint(i), Content: strings.Repeat("x", size), Status: world.MessageDone})
		}
		return v
	}
	views := []world.View{made(50, 10_000), made(50, 100), made(1, 900_000), made(3, 50_000)}
	views[3].Messages[0].Status = world.MessageOpen
	view.Fit(views, 400_000)
	if n := len(views[0].Messages); n < 5 || n > 25 || !views[0].HasMore || views[0].Messages[n-1].MessageID != "49" {
		t.Errorf("the longest has %d rows", n)
	}
	if len(views[1].Messages) != 50 || views[1].HasMore || len(views[2].Messages) != 0 || !views[2].HasMore || len(views[3].Messages) != 3 {
		t.Errorf("others gave way: %d, %d, %d", len(views[1].Messages), len(views[2].Messages), len(views[3].Messages))
	}
	view.Fit(views, 10)
	if len(views[3].Messages) != 3 {
		t.Error("an open row was taken off")
	}
}
