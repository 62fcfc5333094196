package storetest

import (
	"agentdungeon/shared/world"
)

func RealmNamed(name string) world.Realm { return world.Realm{Name: name} }
