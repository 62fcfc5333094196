package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"agentdungeon/server/agent/review"
	"agentdungeon/server/driver"
	"agentdungeon/server/jsonfile"
	"agentdungeon/server/store/files"
	"agentdungeon/server/team"
	"agentdungeon/server/template"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Process templates and teams that people put into the worlds folder are read on demand. The store
// reads a file again only after it has changed.

// offers has the valid entries of a folder's files, and the errors of the invalid files.
type offers[T any] struct {
	list     []T
	problems []error
}

// notice logs problems, and remembers them so that the same problems are not logged again.
type notice struct {
	mu  sync.Mutex
	bad string
}

// log logs problems unless they are the same as those of the last call.
func (t *notice) log(log zerolog.Logger, what string, problems []error) {
	bad := ""
	if len(problems) > 0 {
		bad = errors.Join(problems...).Error()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if bad != t.bad && bad != "" {
		log.Warn().Msg(what + " that cannot be used: " + bad)
	}
	t.bad = bad
}

// missing returns the error for an id that no template or team has. The error includes problems, the errors of the
// files that cannot be used.
func missing(what, id string, problems []error) error {
	if len(problems) > 0 {
		return fmt.Errorf("there is no %s %s; these files cannot be used: %w", what, id, errors.Join(problems...))
	}
	return fmt.Errorf("there is no %s %s", what, id)
}

// teams has the embedded teams and the teams of the worlds folder. It implements kind.Teams.
type teams struct {
	store *files.Worlds
	log   zerolog.Logger

	notice notice
	cache  timedRead[offers[*world.Team]]
	good   map[string][]byte // last valid content of each existing file by name; only read uses it
}

// list returns all teams, and the errors of the files that cannot be used. Each error names its file and
// field.
func (t *teams) list() ([]*world.Team, []error) {
	all := t.cache.look(t.read, offers[*world.Team]{list: team.Builtin()})
	return all.list, all.problems
}

// begin reads the team files for the first time, when the server starts.
func (t *teams) begin() {
	t.cache.within(firstReadTime, t.read, offers[*world.Team]{list: team.Builtin()})
}

// read reads the team files. If a file has become invalid, read uses the last valid content of the file, so
// that a party does not lose its members while somebody writes the file.
func (t *teams) read() offers[*world.Team] {
	given, err := t.store.TeamFiles()
	var problems []error
	if err != nil {
		problems = append(problems, err)
	}
	files := []jsonfile.Named{}
	good := map[string][]byte{}
	for _, f := range given {
		wrong := f.Err
		if wrong == nil {
			_, wrong = team.Parse(f.Name, f.Bytes)
		}
		data := f.Bytes
		if wrong != nil {
			problems = append(problems, wrong)
			data = t.good[f.Name]
		}
		if data != nil {
			good[f.Name] = data
			files = append(files, jsonfile.Named{Name: f.Name, Data: data})
		}
	}
	for name, data := range t.good {
		// If the folder could not be read, the file may still exist, so its last content stays.
		if err != nil && good[name] == nil {
			good[name] = data
			files = append(files, jsonfile.Named{Name: name, Data: data})
		}
	}
	t.good = good
	list, unusable := team.Files.Merge(team.Builtin(), files)
	problems = append(problems, unusable...)
	t.notice.log(t.log, "teams", problems)
	return offers[*world.Team]{list, problems}
}

// Teams returns all teams, the default one first.
func (t *teams) Teams() []*world.Team {
	list, _ := t.list()
	return list
}

// Team returns the team with that id. For an unknown id, the error includes the errors of the files that
// cannot be used.
func (t *teams) Team(id string) (*world.Team, error) {
	list, problems := t.list()
	for _, team := range list {
		if team.ID == id {
			return team, nil
		}
	}
	return nil, missing("team", id, problems)
}

// templates has the embedded templates and the templates of the worlds folder, which it reads on demand.
type templates struct {
	store  *files.Worlds
	log    zerolog.Logger
	driver string // the driver that plays most roles; see App.driver
	// drivers play the roles of templates; nil if the server has no drivers.
	drivers driver.Drivers
	// written returns the number of roles of a template for which the server's script has words (Script.Written). It is
	// nil without a script.
	written func(*world.Template) int

	notice notice
	cache  timedRead[offers[*world.Template]]
	known  atomic.Pointer[templateInfos] // the last result of infos and the list from which it was made
}

// templateInfos has a list of templates and the result of infos for that list.
type templateInfos struct {
	of    []*world.Template
	infos []wire.TemplateInfo
}

// list returns all templates, and the errors of the files that cannot be used. Each error names its file and
// field.
func (t *templates) list() ([]*world.Template, []error) {
	all := t.cache.look(t.read, offers[*world.Template]{list: template.Builtin()})
	return all.list, all.problems
}

// begin reads the template files for the first time, when the server starts.
func (t *templates) begin() {
	t.cache.within(firstReadTime, t.read, offers[*world.Template]{list: template.Builtin()})
}

func (t *templates) read() offers[*world.Template] {
	given, err := t.store.TemplateFiles()
	var problems []error
	if err != nil {
		problems = append(problems, err)
	}
	var files []jsonfile.Named
	for _, f := range given {
		if f.Err != nil {
			problems = append(problems, f.Err)
			continue
		}
		files = append(files, jsonfile.Named{Name: f.Name, Data: f.Bytes})
	}
	list, unusable := template.Files.Merge(template.Builtin(), files)
	problems = append(problems, unusable...)
	t.notice.log(t.log, "templates", problems)
	return offers[*world.Template]{list, problems}
}

func (t *templates) All() []*world.Template {
	list, _ := t.list()
	return list
}

func (t *templates) Template(id string) (*world.Template, error) {
	list, problems := t.list()
	for _, tpl := range list {
		if tpl.ID == id || id == "" {
			return tpl, nil
		}
	}
	return nil, missing("template", id, problems)
}

// plays reports whether a driver of this server can play the role.
func (t *templates) plays(tpl *world.Template, r world.Role) bool {
	return t.drivers != nil && t.drivers.Driver(tpl, r) != nil
}

// infos returns the templates in the order in which the page offers them: first the templates whose roles all
// have a driver, then those of which some roles have a driver, then those without any driver. Within each of
// these three groups, the templates for which the script was written come first; otherwise infos keeps the
// order of list.
func (t *templates) infos() []wire.TemplateInfo {
	type offer struct {
		info          wire.TemplateInfo
		whole, partly int // sort keys: whole is 1 if every role has a driver, partly is 1 if at least one has
		written       int
	}
	list, _ := t.list()
	if known := t.known.Load(); known != nil && slices.Equal(known.of, list) {
		return known.infos
	}
	offers := make([]offer, 0, len(list))
	for _, tpl := range list {
		o := offer{info: wire.TemplateInfo{ID: tpl.ID, Name: tpl.Name, Description: tpl.Description, Roles: []string{},
			Stages: []string{}, Driver: t.driver, Cast: []wire.CastInfo{}}}
		played := 0
		for _, r := range tpl.Roles {
			plays := t.plays(tpl, r)
			if plays {
				played++
			}
			o.info.Roles = append(o.info.Roles, r.Name)
			o.info.Cast = append(o.info.Cast, wire.CastInfo{ID: r.ID, Name: r.Name, Color: r.Color, Played: plays})
		}
		switch {
		case played == 0:
			o.info.Driver = wire.DriverNone
		case tpl.ID == review.Review && t.driver == wire.DriverModel:
			o.info.Driver = wire.DriverScout
		}
		if o.partly = min(played, 1); played == len(tpl.Roles) {
			o.whole = 1
		}
		if t.written != nil {
			o.written = t.written(tpl)
		}
		for _, s := range tpl.Stages {
			o.info.Stages = append(o.info.Stages, s.Name)
		}
		offers = append(offers, o)
	}
	slices.SortStableFunc(offers, func(a, b offer) int {
		return cmp.Or(b.whole-a.whole, b.partly-a.partly, b.written-a.written)
	})
	out := make([]wire.TemplateInfo, len(offers))
	for i := range offers {
		out[i] = offers[i].info
	}
	t.known.Store(&templateInfos{list, out})
	return out
}
