package facts

import (
	"context"
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Asked names the realm that a call is about.
type Asked struct {
	Realm string `json:"realm,omitempty" jsonschema:"id or name; without it that of your folder, or the last active one"`
}

func (a Asked) asked() string { return a.Realm }

// question is one call about one realm.
type question struct {
	ctx   context.Context
	facts *Config
	realm Realm
	of    Of
	room  room
}

// Of says which realm an answer is about.
type Of struct {
	Realm  string `json:"realm" jsonschema:"id of the realm"`
	Name   string `json:"name"`
	Folder string `json:"folder,omitempty" jsonschema:"the folder that is linked to the realm"`
}

// ask opens the realm whose id or name is the text in the parameter asked. If that is empty, it opens the last active
// realm.
func (f *Facts) ask(ctx context.Context, asked string) (*question, error) {
	list, err := f.cfg.Realms.List(ctx)
	if err != nil {
		return nil, err
	}
	info, err := choose(list, asked)
	if err != nil {
		return nil, err
	}
	r, err := f.cfg.Realms.Open(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	of := Of{Realm: info.ID, Name: info.Name, Folder: info.Path}
	return &question{ctx: ctx, facts: &f.cfg, realm: r, of: of, room: newRoom(of)}, nil
}

// choose returns the realm whose id is the text in the parameter asked, or whose name it is if no other realm has
// that name. If asked is empty, choose returns the last active realm, or the only one.
func choose(list wire.RealmList, asked string) (*wire.RealmInfo, error) {
	var named []*wire.RealmInfo
	want := asked
	if want == "" {
		want = list.LastActiveRealmID
	}
	for i := range list.Realms {
		r := &list.Realms[i]
		if r.ID == want {
			return r, nil
		}
		if r.Name == asked || asked == "" {
			named = append(named, r)
		}
	}
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(list.Realms) == 0:
		return nil, wire.Errorf(wire.NotFound, "there is no realm yet: open the page and link a folder")
	case asked == "":
		return nil, wire.Errorf(wire.NotFound, "no realm is open; the tool realms lists them, name one as realm")
	case len(named) > 1:
		return nil, wire.Errorf(wire.NotFound, "several realms are named %q; the tool realms lists their ids", asked)
	}
	return nil, wire.Errorf(wire.NotFound, "there is no realm %q; the tool realms lists them", asked)
}

// Realmed is a realm in the answer of the tool realms.
type Realmed struct {
	Of
	LastActive bool `json:"lastActive,omitempty" jsonschema:"the realm that is asked where none is named"`
	Findings   int  `json:"findings" jsonschema:"how many findings it has"`
}

// RealmList is the answer of the tool realms.
type RealmList struct {
	Realms  []Realmed `json:"realms"`
	LeftOut int       `json:"leftOut,omitempty" jsonschema:"how many realms are not in this answer"`
}

// realms lists the realms, the last active one first.
func (f *Facts) realms(ctx context.Context, _ struct{}) (RealmList, error) {
	return call(ctx, f, "realms", func(ctx context.Context) (out RealmList, err error) {
		list, err := f.cfg.Realms.List(ctx)
		if err != nil {
			return out, err
		}
		var all []Realmed
		for _, r := range list.Realms {
			item := Realmed{Of: Of{r.ID, r.Name, r.Path}, Findings: r.Findings, LastActive: r.ID == list.LastActiveRealmID}
			if item.LastActive {
				all = slices.Insert(all, 0, item)
			} else {
				all = append(all, item)
			}
		}
		space := newRoom(Of{})
		out.Realms, out.LeftOut = fit(&space, all)
		return out, nil
	})
}

// world returns a copy of the realm's committed world.
func (q *question) world() (*world.World, error) { return q.realm.World(q.ctx) }
