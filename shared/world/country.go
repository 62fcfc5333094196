package world

import (
	"encoding/json"
	"fmt"
)

// CountrySide is how many tiles wide and high the overworld is.
const CountrySide = 120

// Layers of World.Fog and World.Paths.
const (
	// LayerExplored has 1 for each tile that somebody has come near enough to see.
	LayerExplored = "explored"
	// LayerWorn counts how often a tile was walked on, at most MaxWear.
	LayerWorn = "worn"
	MaxWear   = 9
)

// Tiles of Country.Tiles. Grass, door, floor, hill, sand and path are walkable; every tile
// outside the country is wall.
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

// Country is the overworld before anybody changes it: the terrain, which follows from the
// realm's id alone, and the houses of folders, from the last scan.
type Country struct {
	Tiles Grid   `json:"tiles"`
	Sites []Site `json:"sites"`
}

// Site is a folder's house on the overworld: the root's keep in the middle, and the top-level
// folders around it. A folder without a site is reached through the keep. X, Y is the top left
// tile; DoorX, DoorY is the walkable tile before the door.
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

// Fort is a member's camp on the overworld. It stays when the member leaves. X, Y is its middle,
// GateX, GateY the walkable tile before its gate. Tiles take the biome of the nearest fort.
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

// MaxForts is how many forts a country has. A new one beyond that replaces the one whose member
// left first.
const MaxForts = 16

// Biomes are assigned to members by a hash of role and name.
var Biomes = []string{"forest", "coastal", "plains", "hills", "volcanic", "crystalline"}

// Walk is a member's newest way: over the overworld along Path, then through the room of Folder
// along Room. Each list has every tile from begin to end; consecutive tiles touch, also at
// corners. The walk ends at ArrivesAt.
type Walk struct {
	Path      []Point `json:"path"`
	Room      []Point `json:"room"`
	StartsAt  Time    `json:"startsAt"`
	MsPerTile int     `json:"msPerTile"`
	ArrivesAt Time    `json:"arrivesAt"`
	Target    string  `json:"target,omitempty"` // the file or folder it is for, in wire form
}

// Activities of an agent: ActivityReading while it looks at a file.
const (
	ActivityReading    = "reading"
	ActivityConversing = "conversing" // takes part in a council
	ActivityCooldown   = "cooldown"   // has just taken part in one
)

// MaxExplored is how many folders World.Explored lists; later ones are not recorded.
const MaxExplored = 5_000

// MaxWalkers is how many people's ways NavigationState keeps; the person who walked least
// recently is dropped. MaxNavStack is how many rooms a person can go back, MaxHeroStack how many
// a hero can; each of a hero's walks carries them all.
const (
	MaxWalkers   = 1_000
	MaxNavStack  = 64
	MaxHeroStack = 16
)

// Land is what a realm knows of its linked folder. It is derived from the disk and, for the
// terrain, from the realm's id. It is not part of the World, because no event sets it. A Land
// is replaced, never changed.
type Land struct {
	Map     Map     `json:"map"`
	MapTree MapTree `json:"mapTree"`
	Country Country `json:"country"`
}

// NewLand returns the land of a realm without a folder.
func NewLand() *Land {
	l := new(Land)
	l.Fill()
	return l
}

// Fill sets each field that an older file lacks to its default, like World.Fill.
func (l *Land) Fill() {
	l.Country.Sites = notNil(l.Country.Sites)
	l.Country.Tiles.Runs = notNil(l.Country.Tiles.Runs)
	l.MapTree.Children = notNil(l.MapTree.Children)
	if l.Map.Source == "" {
		l.Map.Source = "none"
	}
}

// Map is the summary of the linked folder's last scan.
type Map struct {
	Generation int64  `json:"generation"`
	Files      int    `json:"files"`
	Folders    int    `json:"folders"`
	Bytes      int64  `json:"bytes"`
	Source     string `json:"source"` // "git", "walk", "none"
	Missing    bool   `json:"missing,omitempty"`
	ScannedAt  Time   `json:"scannedAt"`
}

// MapTree is a folder with the counts of what is below it. Land has the root and two levels.
type MapTree struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Files    int       `json:"files"`
	Folders  int       `json:"folders"`
	Children []MapTree `json:"children"`
}

// State is a world and its land as one JSON object, as in world:state, in state.json and in the
// bases of a journal. Only EncodeState makes one.
type State struct {
	// Realm and Agents hide the fields of World so that they come before the land.
	Realm  Realm   `json:"realm"`
	Agents []Agent `json:"agents"`
	Land
	World
}

// EncodeState encodes a world with its land.
func EncodeState(w *World, l *Land) ([]byte, error) {
	raw, err := json.Marshal(State{Realm: w.Realm, Agents: w.Agents, Land: *l, World: *w})
	if err != nil {
		return nil, fmt.Errorf("encode the world: %w", err)
	}
	return raw, nil
}

// DecodeState decodes the result of EncodeState of any version. It does not validate, and it
// leaves fields that an older version lacks empty for Fill. unmarshal is json.Unmarshal or a
// faster equivalent.
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
