package app

import (
	"fmt"

	"agentdungeon/server/realm"
	"agentdungeon/shared/world"
)

// nobody plays nothing and knows no templates and no teams, so that those of a realm stay as
// they are: for a realm that is opened for its keeping alone.
type nobody struct{}

func (nobody) Driver(*world.Template, world.Role) realm.Driver { return nil }

func (nobody) Teams() []*world.Team { return nil }

func (nobody) Team(id string) (*world.Team, error) {
	return nil, fmt.Errorf("there is no team %s here", id)
}

func (nobody) All() []*world.Template { return nil }

func (nobody) Template(id string) (*world.Template, error) {
	return nil, fmt.Errorf("there is no template %s here", id)
}
