package world

import (
	"cmp"
	"fmt"

	"agentdungeon/shared/frame"
)

// CountrySide is the width and height of the overworld in tiles.
const CountrySide = 120

// Layers of World.Fog and World.Paths.
const (
	// LayerExplored has 1 for each tile that a walk has revealed.
	LayerExplored = "explored"
	// LayerWorn counts the walks over each tile, up to MaxWear.
	LayerWorn = "worn"
	MaxWear   = 9
)

// Values of Country.Tiles. Grass, door, floor, hill, sand and path are walkable. Tiles outside
// the country are walls.
const (
	TileGrass   = 0
	TileWall    = 1
	TileWater   = 2
	TileDoor    = 3
	TileFloor   = 4
	TileTree    = 5
	TileHill    = 6
	TileSand    = 7
	TilePath    = 8
	TileLava    = 9
	TileCrystal = 10
)

// Country is the overworld without the parts that events change. Its terrain depends only on the realm's id, its
// houses only on the last scan of the linked folder.
type Country struct {
	Tiles Grid   `json:"tiles"`
	Sites []Site `json:"sites"`
}

// Site is the house of a folder on the overworld: the keep in the middle for the root folder, or a house around the
// keep for a top-level folder. People and heroes enter all other folders through the keep. X, Y is the top left
// tile of the house; DoorX, DoorY is the walkable tile in front of the door.
type Site struct {
	Path   string `json:"path"`
	Name   string `json:"name"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	DoorX  int    `json:"doorX"`
	DoorY  int    `json:"doorY"`
	Files  int    `json:"files"`
}

// Fort is the place of a member on the overworld; it remains when the member leaves. X, Y is the middle of the
// fort; GateX, GateY is the walkable tile in front of the gate. The page draws each tile with the landscape of the
// nearest fort.
type Fort struct {
	AgentID string `json:"agentId"`
	Name    string `json:"name"`
	Color   string `json:"color"`
	Biome   string `json:"biome"`
	Stage   int    `json:"stage"`
	X       int    `json:"x"`
	Y       int    `json:"y"`
	GateX   int    `json:"gateX"`
	GateY   int    `json:"gateY"`
}

// Stages of a fort. A fort never falls back to an earlier one.
const (
	FortCampfire = 1 // its member has joined
	FortTent     = 2 // its member has arrived
	FortHut      = 3 // the first finding
	FortTower    = 4 // three findings
	FortFort     = 5 // a stage of the process in which the member took part has ended
)

// MaxForts is the maximum number of forts. A new fort beyond it replaces the oldest fort whose member has left.
const MaxForts = 16

// Biomes are the kinds of landscape around forts. A hash of a member's role and name selects the biome of the member's
// fort.
var Biomes = []string{"forest", "coastal", "plains", "hills", "volcanic", "crystalline"}

// Walk is a member's newest walk: on the overworld along Path, then in the room of Agent.Folder
// along Room. Both lists have every tile from start to end; consecutive tiles touch at a side or
// a corner.
type Walk struct {
	Path      []Point `json:"path"`
	Room      []Point `json:"room"`
	StartsAt  Time    `json:"startsAt"`
	MsPerTile int     `json:"msPerTile"`
	ArrivesAt Time    `json:"arrivesAt"`
	Target    string  `json:"target,omitempty"` // path of the file or folder that the walk leads to, in wire form
}

// Activities of an agent.
const (
	ActivityReading    = "reading"    // looks at a file
	ActivityConversing = "conversing" // takes part in a council
	ActivityCooldown   = "cooldown"   // has just taken part in a council
)

// MaxExplored is the maximum length of World.Explored. When it is reached, Apply records no further folders.
const MaxExplored = 5_000

// Bounds of NavigationState.
const (
	MaxWalkers   = 1_000 // maximum number of people; a further one replaces the person who walked least recently
	MaxNavStack  = 64    // rooms that a person can go back through
	MaxHeroStack = 16    // rooms that a hero can go back through; few, because each agent:goes lists them all
)

// Land is the map of a realm. It comes from the linked folder on disk and, for the terrain, from
// the realm's id. No event sets it, so it is not part of World. A Land is immutable.
type Land struct {
	Map     Map     `json:"map"`
	MapTree MapTree `json:"mapTree"`
	Country Country `json:"country"`
}

// NewLand returns the land of a realm whose folder has not been read: its lists are empty, not nil, and its country has
// no tiles.
func NewLand() *Land {
	l := new(Land)
	l.Fill()
	return l
}

// Fill sets each field that an older file lacks to its default, like World.Fill.
func (l *Land) Fill() {
	l.Country.Sites = NotNil(l.Country.Sites)
	l.Country.Tiles.Runs = NotNil(l.Country.Tiles.Runs)
	l.MapTree.Children = NotNil(l.MapTree.Children)
	l.Map.Source = cmp.Or(l.Map.Source, "none")
}

// Map summarizes the last scan of the linked folder.
type Map struct {
	Generation int64  `json:"generation"`
	Files      int    `json:"files"`
	Folders    int    `json:"folders"`
	Bytes      int64  `json:"bytes"`
	Source     string `json:"source"` // "git", "walk", "none"
	Missing    bool   `json:"missing,omitempty"`
	ScannedAt  Time   `json:"scannedAt"`
}

// MapTree is a folder with the numbers of files and folders below it. Land has the tree of the root and two levels
// of folders.
type MapTree struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Files    int       `json:"files"`
	Folders  int       `json:"folders"`
	Children []MapTree `json:"children"`
}

// State is a world and its land as one JSON object. world:state, state.json and the bases of the journal (worlds
// from which older events can be dropped) have this form.
type State struct {
	// Realm and Agents hide the fields of World with these names, so that the JSON has them before the fields of
	// the land.
	Realm  Realm   `json:"realm"`
	Agents []Agent `json:"agents"`
	Land
	World
}

// EncodeState encodes a world with its land. It returns the same bytes as encoding/json in a third of the time: 10 MB
// take 10 ms. Every restart, snapshot and checkpoint calls it.
func EncodeState(w *World, l *Land) ([]byte, error) {
	raw, err := frame.Object(&State{Realm: w.Realm, Agents: w.Agents, Land: *l, World: *w})
	if err != nil {
		return nil, fmt.Errorf("encode the world: %w", err)
	}
	return raw, nil
}

// DecodeState decodes the result of EncodeState, also of older versions. The caller must call Fill
// for fields that older versions lack, and Validate. unmarshal is json.Unmarshal or a faster
// equivalent.
func DecodeState(raw []byte, unmarshal func([]byte, any) error) (*World, *Land, error) {
	var s struct {
		*World
		*Land
	}
	s.World, s.Land = new(World), new(Land)
	if err := unmarshal(raw, &s); err != nil {
		return nil, nil, fmt.Errorf("decode the world: %w", err)
	}
	return s.World, s.Land, nil
}
