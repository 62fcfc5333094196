package place

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/nav"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// WalkTime is the maximum duration of a walk, so that members arrive before their turns end. tileTime is the
// maximum time for each tile, in milliseconds.
const (
	WalkTime = 6 * time.Second
	tileTime = 150
)

var errNotThere = errors.New("the destination of the walk is not on the map")

// aim is a destination of a member's walk.
type aim struct {
	kind aimKind
	path string // the file or folder of aimPath
}

type aimKind int

const (
	aimHome aimKind = iota // the gate of the member's fort
	aimKeep                // the place before the keep
	aimPath                // a file, or the room of a folder
)

// walk returns the event of a member's walk to a destination (the parameter to). It returns nil if the member is
// there already.
func walk(
	w *world.World, r *Rooms, member *world.Agent, to aim, at world.Time, pace string,
) (*world.AgentGoes, error) {
	out := &world.AgentGoes{AgentID: member.ID, StartsAt: at, Room: []world.Point{}, Target: to.path}
	var err error
	if to.kind == aimPath {
		err = intoRoom(out, w, r, member, to.path)
	} else {
		err = outdoors(out, w, &r.Land().Country, member, to.kind)
	}
	if err != nil {
		return nil, err
	}
	if here(out, member) {
		return nil, nil
	}
	radius := nav.Radius
	if len(w.Fog) == 0 {
		radius = nav.FirstRadius
	}
	out.Revealed = nav.Reveal(out.Path, radius, w.Fog)
	if len(out.Path) > 1 {
		out.Worn, out.Wear = nav.Wear(out.Path[1:], w.Paths)
	} else {
		out.Worn, out.Wear = []world.Point{}, []int{}
	}
	tiles := len(out.Path) + len(out.Room)
	if pace != world.PaceInstant {
		out.MsPerTile = max(1, min(tileTime, int(WalkTime.Milliseconds())/max(tiles, 1)))
	}
	out.ArrivesAt = at + world.Time(tiles*out.MsPerTile)
	out.First = out.Inside && len(w.Explored) < world.MaxExplored && !slices.Contains(w.Explored, out.Folder)
	return out, nil
}

// here reports whether a member is where the walk b would lead it. A coding agent is at the file of its state: if two
// files have the same tile before them, a walk of no length says to which one it turns.
func here(b *world.AgentGoes, a *world.Agent) bool {
	return a.Walk != nil && (a.State == nil || a.Walk.Target == b.Target) &&
		a.X == b.X && a.Y == b.Y && a.Folder == b.Folder && a.Inside == b.Inside && a.Page == b.Page
}

// outdoors sets the path in out: over the country to the member's fort or to the keep. A member in a house starts at
// the door of that house.
func outdoors(out *world.AgentGoes, w *world.World, c *world.Country, member *world.Agent, kind aimKind) error {
	ground := nav.Overworld(c, w.Forts, w.Paths)
	near := dungeon.KeepDoor
	if f := w.Fort(member.ID); f != nil && kind == aimHome {
		near = world.Point{f.GateX, f.GateY}
	}
	to, ok := ground.FreeTile(near, others(w, member.ID, "", false, 0))
	if !ok {
		return nav.ErrBlocked
	}
	path, err := ground.Path(outside(c, member, out.StartsAt), to)
	out.Path, out.X, out.Y = path, to[0], to[1]
	return err
}

// intoRoom sets the path in out: to the house of the room that shows path, and then through the room to a tile near
// path. If the member is in that house already, the path has only the second part.
func intoRoom(out *world.AgentGoes, w *world.World, r *Rooms, member *world.Agent, path string) error {
	room, page, near, err := locate(r.Survey(), path)
	if err != nil {
		return err
	}
	out.Folder, out.Inside, out.Page = room.Path, true, page
	out.Stack = nav.HeroStack(&w.NavigationState, member, room.Path)
	ground := nav.Indoors(&room)
	to, ok := ground.FreeTile(near, others(w, member.ID, room.Path, true, page))
	if !ok {
		return nav.ErrBlocked
	}
	from := nav.Entrance(&room)
	at := world.Point{member.X, member.Y}
	if member.Inside && member.Folder == room.Path && member.Page == page && ground.Walkable(at) {
		from = at
	}
	if out.Room, err = ground.Path(from, to); err != nil {
		return err
	}
	out.X, out.Y = to[0], to[1]
	out.Path = []world.Point{}
	c := &r.Land().Country
	if door := doorOf(c, room.Path); !member.Inside || doorOf(c, member.Folder) != door {
		out.Path, err = nav.Overworld(c, w.Forts, w.Paths).Path(outside(c, member, out.StartsAt), door)
	}
	return err
}

// locate returns the room that shows path, the page of the room, and the tile near which a member reads path.
func locate(s *dungeon.Survey, path string) (wire.Room, int, world.Point, error) {
	if s == nil {
		return wire.Room{}, 0, world.Point{}, errNotThere
	}
	entry, ok := s.Tree.Lookup(path)
	if !ok {
		return wire.Room{}, 0, world.Point{}, errNotThere
	}
	folder := path
	if !entry.Folder {
		folder = path[:max(0, strings.LastIndexByte(path, '/'))]
	}
	for page := 0; ; page++ {
		change, err := dungeon.Room(s, folder, page)
		if err != nil {
			return wire.Room{}, 0, world.Point{}, fmt.Errorf("find the room of %s: %w", folder, err)
		}
		if entry.Folder {
			return change.Room, 0, nav.Entrance(&change.Room), nil
		}
		for _, o := range change.Room.Objects {
			if o.Path == path {
				return change.Room, page, world.Point{o.X, o.Y}, nil
			}
		}
	}
}

// outside returns the place of a member on the overworld at the time now. For a member in a house, this is the door of
// the house.
func outside(c *world.Country, a *world.Agent, now world.Time) world.Point {
	if a.Inside {
		return doorOf(c, a.Folder)
	}
	if onWay(a, now) && a.Walk.MsPerTile > 0 && len(a.Walk.Path) > 0 {
		return tileOn(a.Walk, now)
	}
	return world.Point{a.X, a.Y}
}

// tileOn returns the tile that a walk has reached at the time now. w has at least one tile, and w.MsPerTile is above
// 0.
func tileOn(w *world.Walk, now world.Time) world.Point {
	i := min(int(max(0, now-w.StartsAt))/w.MsPerTile, len(w.Path)+len(w.Room)-1)
	if i < len(w.Path) {
		return w.Path[i]
	}
	return w.Room[i-len(w.Path)]
}

// doorOf returns the door of the house to which a folder belongs: the house of its top-level folder, or the
// keep if that folder has no house.
func doorOf(c *world.Country, folder string) world.Point {
	top, _, _ := strings.Cut(folder, "/")
	for i := range c.Sites {
		if s := &c.Sites[i]; s.Path == top {
			return world.Point{s.DoorX, s.DoorY}
		}
	}
	return dungeon.KeepDoor
}

// others returns a function that reports whether another member stands on a tile or is walking to it (B17). Only
// members on the page of the same room, or outdoors if inside is false, count; the member self is left out.
func others(w *world.World, self, realm string, inside bool, page int) func(world.Point) bool {
	taken := map[world.Point]bool{}
	for i := range w.Agents {
		if a := &w.Agents[i]; a.ID != self && a.Folder == realm && a.Inside == inside && a.Page == page {
			taken[world.Point{a.X, a.Y}] = true
		}
	}
	return func(p world.Point) bool { return taken[p] }
}

// onWay reports whether a member is walking at the time now. It ignores a walk that starts in the future: that
// walk began before the clock was set back.
func onWay(member *world.Agent, now world.Time) bool {
	w := member.Walk
	return w != nil && w.ArrivesAt > now && w.StartsAt <= now+world.Time(world.MaxHold.Milliseconds())
}

// freeAt returns the time at which a member may begin its walk to a destination (the parameter to). A member that
// walks over the country to its fort or to the keep may turn round to read a file or a folder. Every other walk ends
// before the next one begins.
func freeAt(member *world.Agent, to aim, now world.Time) world.Time {
	if member.Walk == nil || member.Walk.ArrivesAt > now && !onWay(member, now) {
		return 0
	}
	next := member.Walk.StartsAt + world.Time(walkEvery.Milliseconds())
	if to.kind == aimPath && member.Walk.Target == "" && !member.Inside {
		return next
	}
	return max(member.Walk.ArrivesAt, next)
}
