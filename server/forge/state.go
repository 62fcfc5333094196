package forge

import (
	"slices"

	"agentdungeon/shared/world"
)

// State is where a forge stands (S1-B1).
type State string

// The states of document 001.
const (
	Idle             State = "idle"
	IntentDetection  State = "intent_detection"
	CheckingExisting State = "checking_existing"
	GatheringPurpose State = "gathering_purpose"
	GatheringDetails State = "gathering_details"
	ConfirmingSpec   State = "confirming_spec"
	Generating       State = "generating"
	Validating       State = "validating"
	FixingErrors     State = "fixing_errors"
	SelectingStorage State = "selecting_storage"
	Saving           State = world.ForgeSaving
	Completed        State = "completed"
	Error            State = "error"
)

// Moves are all moves between states that there are. An error of whatever kind leads
// to gathering_details, where nothing is lost and a person can say more; an error of
// saving to error (S1-B2). Starting over leads to gathering_purpose.
var Moves = map[State][]State{
	Idle:             {IntentDetection, GatheringDetails},
	IntentDetection:  {GatheringPurpose, GatheringDetails},
	GatheringPurpose: {CheckingExisting, GatheringDetails},
	CheckingExisting: {GatheringPurpose, GatheringDetails, Completed},
	GatheringDetails: {GatheringPurpose, ConfirmingSpec, Generating},
	ConfirmingSpec:   {GatheringPurpose, GatheringDetails, Generating},
	Generating:       {GatheringPurpose, GatheringDetails, Validating},
	Validating:       {GatheringPurpose, GatheringDetails, FixingErrors, SelectingStorage},
	FixingErrors:     {GatheringPurpose, GatheringDetails, Validating},
	SelectingStorage: {GatheringPurpose, GatheringDetails, Saving},
	Saving:           {Completed, Error},
	Error:            {GatheringPurpose, GatheringDetails, Saving},
	Completed:        {},
}

// May says whether there is a move from one state to the other.
func May(from, to State) bool { return slices.Contains(Moves[from], to) }

// Known says whether it is one of the states.
func (s State) Known() bool { _, ok := Moves[s]; return ok }

// Move is one change of the state, for the audit (S1-19). Why is a few words.
type Move struct {
	From State  `json:"from"`
	To   State  `json:"to"`
	Why  string `json:"why"`
}
