package party

import (
	"testing"

	"agentdungeon/server/team"
	"agentdungeon/shared/world"
)

const night = `{
  "id": "night", "name": "Night shift",
  "members": [
    {"id": "ada", "name": "Ada", "displayName": "Ada L.", "type": "human", "role": "lead", "color": "#112233", "order": 3},
    {"id": "rev-1", "name": "Reviewer", "displayName": "The Reviewer", "type": "agent", "role": "sentinel", "color": "#445566", "order": 1},
    {"id": "ben", "name": "Ben", "displayName": "Ben", "type": "human", "role": "guest", "color": "#778899", "order": 2}
  ]
}`

func mustParse(t testing.TB, text string) world.Team {
	t.Helper()
	read, err := team.Parse("night.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return *read
}

// The first person is the one with the lowest order, not the first in the file (P14.2).
func TestFirstHuman(t *testing.T) {
	if first := firstHuman(mustParse(t, night)); first != "ben" {
		t.Fatalf("the first person is %s", first)
	}
}
